export {
  getStarterFiles,
  isStarterTemplate,
  STARTER_TEMPLATES,
  type StarterFile,
  type StarterTemplate,
} from './get-starter-files.ts'
