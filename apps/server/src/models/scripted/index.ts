export { answerScripted } from './answer-request.ts'
export { scriptedModelId } from './write-completion.ts'
