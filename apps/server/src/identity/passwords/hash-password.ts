import { hash, verify } from '@node-rs/argon2'
import { problem } from '../../kernel/http/index.ts'

const PARAMETERS = { memoryCost: 64 * 1024, timeCost: 3, parallelism: 1 }
/** Each hash takes 64 MiB: more at once would let a burst of sign-ins take the machine's memory. */
const MAX_AT_ONCE = 2
const MAX_WAITING = 64

export interface Passwords {
  hashPassword(password: string): Promise<string>
  /** Does the same work whether or not there is a hash to compare with. */
  matchesPassword(password: string, stored: string | null | undefined): Promise<boolean>
}

/** argon2id with 64 MiB and 3 passes, few at a time; past the queue the answer is 503. */
export function createPasswords({ maxWaiting = MAX_WAITING } = {}): Passwords {
  let running = 0
  const waiting: (() => void)[] = []
  let stand: Promise<string> | undefined

  async function limited<T>(work: () => Promise<T>): Promise<T> {
    if (running >= MAX_AT_ONCE) {
      if (waiting.length >= maxWaiting) throw problem('unavailable', { headers: { 'retry-after': '10' } })
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }

  return {
    hashPassword: (password) => limited(() => hash(normalize(password), PARAMETERS)),
    async matchesPassword(password, stored) {
      stand ??= hash('a hash that no password is compared with in earnest', PARAMETERS)
      const nobodys = await stand
      const against = stored ?? nobodys
      const matches = await limited(() => verify(against, normalize(password)))
      return matches && typeof stored === 'string'
    },
  }
}

/** One spelling per password, however the keyboard composed its accents. */
function normalize(password: string): string {
  return password.normalize('NFKC')
}
