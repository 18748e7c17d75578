import { takeInstanceLock } from '../instance-lock.ts'

/** Tries for the lock, says whether it got it, and holds on to it until it is killed. */
const attempt = await takeInstanceLock(process.argv[2] ?? '')
process.stdout.write(attempt.taken ? 'taken\n' : 'refused\n')
if (attempt.taken) setInterval(() => undefined, 60_000)
