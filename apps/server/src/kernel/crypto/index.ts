export { createEnvelope, type Envelope, type EnvelopeOptions, type Place } from './envelope.ts'
export { DecryptError, MasterKeyError } from './errors.ts'
export {
  areMasterKeys,
  dropOldMasterKeys,
  loadMasterKeys,
  type MasterKey,
  type MasterKeyOptions,
  type MasterKeys,
  rotateMasterKeyFile,
} from './master-keys.ts'
export { equalConstantTime, loadTokenHasher, type TokenHasher } from './token-hash.ts'
