/** Which service a process talks to. Outside the promises of semver. */
export { configureSvc, isConfigured, platformConfig } from './config/platform-config.ts'
