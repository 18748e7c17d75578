export { isLevel, LEVELS, type Level } from './levels.ts'
export { createLineWriter, type LineWriter } from './line-writer.ts'
export {
  type AccessLine,
  createConfiguredLogger,
  createLogger,
  type Logger,
  type LoggerOptions,
} from './logger.ts'
export { createMemoryWriter } from './memory-writer.ts'
export { isSensitiveKey, REDACTED, redactText } from './redact-text.ts'
export { sayError } from './say-error.ts'
export { type Plain, toPlain } from './to-plain.ts'
