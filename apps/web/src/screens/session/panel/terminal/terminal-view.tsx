import '@xterm/xterm/css/xterm.css'
import { connectTerminal, type TerminalConnection } from '@svc/sdk/react'
import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import { useEffect, useRef, useState } from 'react'
import { withOwnStyles } from '../../../../theme/own-styles.ts'
import { Button } from '../../../../ui/button.tsx'
import { Notice } from '../../../../ui/notice.tsx'
import type { PanelProps } from '../panel-props.ts'
import { readColours, watchColours } from './terminal-colours.ts'

interface TerminalViewProps extends PanelProps {
  readonly terminalId: string
  readonly onEnd: () => void
  /** Somebody wants to know whether it is still there. */
  readonly onLook: () => void
}

type Line = 'connecting' | 'open' | 'lost' | 'gone'

const retryMs = [500, 1_000, 2_000, 5_000, 10_000]
/** After so many in a row the terminal is not coming back by itself: its machine may be parked. */
const mostTries = 10

/** One terminal of the machine. A connection that breaks is made again, and the program never notices. */
export function TerminalView({ projectId, sessionId, terminalId, onEnd, onLook }: TerminalViewProps) {
  const place = useRef<HTMLDivElement>(null)
  const [line, setLine] = useState<Line>('connecting')
  const [looks, setLooks] = useState(0)
  const end = useRef(onEnd)
  end.current = onEnd
  // biome-ignore lint/correctness/useExhaustiveDependencies: another look begins anew
  useEffect(() => {
    if (!place.current) return
    return showTerminal(place.current, {
      connect: (events) => connectTerminal(projectId, sessionId, terminalId, events),
      onLine: setLine,
      onEnd: () => end.current(),
    })
  }, [projectId, sessionId, terminalId, looks])
  const lookAgain = () => {
    setLooks(looks + 1)
    setLine('connecting')
    onLook()
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      {line === 'lost' && (
        <Notice tone="warn">The connection is lost and is being made again. The program runs on.</Notice>
      )}
      {line === 'gone' && (
        <Notice tone="warn">
          <p>This terminal does not answer. It ends with its machine, when the session is parked for example.</p>
          <Button size="small" className="mt-2" onClick={lookAgain}>
            Look again
          </Button>
        </Notice>
      )}
      <div
        ref={place}
        data-line={line}
        className="min-h-40 flex-1 overflow-hidden rounded-lg border border-line bg-surface p-2"
      />
      <p className="text-xs text-ink-faint">F6 leaves the terminal for the keyboard.</p>
    </div>
  )
}

interface Show {
  connect(events: Parameters<typeof connectTerminal>[3]): Promise<TerminalConnection>
  onLine(line: Line): void
  onEnd(): void
}

/** Puts a terminal into an element and keeps it connected; what it gives back takes everything away again. */
function showTerminal(element: HTMLElement, { connect, onLine, onEnd }: Show): () => void {
  const terminal = new Terminal({
    theme: readColours(),
    fontFamily: 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
    fontSize: 13,
    minimumContrastRatio: 4.5,
    cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    scrollback: 5_000,
  })
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  withOwnStyles(() => terminal.open(element))
  let connection: TerminalConnection | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let tries = 0
  let isGone = false
  let toldSize = ''

  const tellSize = () => {
    fit.fit()
    const { rows, cols } = terminal
    if (!connection || toldSize === `${rows} ${cols}`) return
    toldSize = `${rows} ${cols}`
    // A size that could not be told is told with the next connection.
    void connection.resize({ rows, cols }).catch(() => undefined)
  }
  const tryAgain = () => {
    connection = undefined
    if (isGone) return
    if (tries >= mostTries) return onLine('gone')
    onLine('lost')
    timer = setTimeout(join, retryMs[Math.min(tries++, retryMs.length - 1)])
  }
  const join = async () => {
    let isFirst = true
    try {
      connection = await connect({
        onData(text) {
          // The terminal sends what it showed last: on a new connection that replaces what stands here.
          if (isFirst) terminal.reset()
          isFirst = false
          tries = 0
          onLine('open')
          terminal.write(text)
        },
        onClose: (isOver) => (isOver && !isGone ? onEnd() : tryAgain()),
      })
      toldSize = ''
      if (isGone) connection.close()
      else tellSize()
    } catch {
      // The machine does not answer now; it may in a moment.
      tryAgain()
    }
  }

  const stopWatching = watchColours(() => {
    terminal.options.theme = readColours()
  })
  const resized = new ResizeObserver(tellSize)
  resized.observe(element)
  terminal.onData((text) => connection?.send(text))
  terminal.attachCustomKeyEventHandler((event) => {
    if (event.key !== 'F6') return true
    if (event.type === 'keydown') document.querySelector<HTMLElement>('[role=tab][data-state=active]')?.focus()
    return false
  })
  void join()
  terminal.focus()
  return () => {
    isGone = true
    clearTimeout(timer)
    stopWatching()
    resized.disconnect()
    connection?.close()
    terminal.dispose()
  }
}
