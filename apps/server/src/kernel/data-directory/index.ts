export { type DataDirectory, openDataDirectory } from './open-data-directory.ts'
