import { formatCount, formatDollars } from './format-usage.ts'

interface Day {
  readonly day: string
  readonly requests: number
  readonly errors: number
  readonly cost: number
}

const heightPx = 120
const stepPx = 20
const barPx = 14

/** Calls by day, with those that failed at the foot of each bar. The same figures stand in a table for screen readers. */
export function DayChart({ rows }: { readonly rows: readonly Day[] }) {
  const most = Math.max(1, ...rows.map(({ requests }) => requests))
  const scale = (count: number) => Math.round((count / most) * heightPx)
  return (
    <figure className="rounded-lg border border-line bg-surface p-4">
      <svg
        aria-hidden
        viewBox={`0 0 ${rows.length * stepPx} ${heightPx}`}
        className="h-32 w-full"
        preserveAspectRatio="none"
      >
        {rows.map(({ day, requests, errors, cost }, index) => (
          <g key={day}>
            <title>{`${day}: ${formatCount(requests)} calls, ${formatDollars(cost)}`}</title>
            <rect
              x={index * stepPx}
              y={heightPx - scale(requests)}
              width={barPx}
              height={scale(requests)}
              className="fill-accent"
            />
            <rect
              x={index * stepPx}
              y={heightPx - scale(errors)}
              width={barPx}
              height={scale(errors)}
              className="fill-bad"
            />
          </g>
        ))}
      </svg>
      <figcaption className="mt-2 flex justify-between text-xs text-ink-soft">
        <span>{rows[0]?.day}</span>
        <span>at most {formatCount(most)} calls a day</span>
        <span>{rows.at(-1)?.day}</span>
      </figcaption>
      <table className="sr-only">
        <caption>Calls by day</caption>
        <thead>
          <tr>
            <th>Day</th>
            <th>Calls</th>
            <th>Failed</th>
            <th>Cost</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ day, requests, errors, cost }) => (
            <tr key={day}>
              <td>{day}</td>
              <td>{requests}</td>
              <td>{errors}</td>
              <td>{formatDollars(cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}
