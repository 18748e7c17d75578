export {
  getStarterFiles,
  isStarterTemplate,
  STARTER_TEMPLATES,
  type StarterTemplate,
} from './get-starter-files.ts'
export type { StarterFile } from './starter-file.ts'
