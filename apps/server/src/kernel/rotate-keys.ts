import { readConfig } from './config.ts'
import { MasterKeyError, rotateMasterKeyFile } from './crypto/index.ts'
import { StartError } from './start-error.ts'

/** `npm run keys:rotate`: for whoever runs the instance, on its own machine, while the server works on. */
export async function run(
  env: Readonly<Record<string, string | undefined>> = process.env,
  say: (line: string) => void = (line) => void process.stdout.write(`${line}\n`),
): Promise<number> {
  try {
    const { dataDir, masterKey } = readConfig(env)
    if (masterKey !== undefined) throw setByEnvironment()
    const { id } = await rotateMasterKeyFile(dataDir)
    say(`✓ A new master key (${id}) stands in front in ${dataDir}/master-key; the older ones stay behind it.`)
    say('  The server wraps every data key with it within the hour, without a restart.')
    say('  Back the file up now: from here on the new key is needed too.')
    return 0
  } catch (error) {
    if (StartError.isInstance(error)) say(`✗ ${error.message}\n  ${error.fix}`)
    else if (error instanceof MasterKeyError) say(`✗ ${error.message}`)
    else throw error
    return 1
  }
}

function setByEnvironment(): StartError {
  return new StartError(
    'The master key comes from SVC_MASTER_KEY, which this command cannot change.',
    'Put a new key in front of it, SVC_MASTER_KEY=<new key>,<old key>, and restart the server. A new key: openssl rand -base64 32',
  )
}
