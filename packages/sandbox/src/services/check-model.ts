import { SandboxError } from '../request/errors.ts'

/** Throws 404 for another model than the one that the endpoint has. */
export function checkModel(named: unknown, model: string): void {
  if (named === model) return
  const message = `The model '${String(named)}' does not exist.`
  throw new SandboxError({ status: 404, message, param: 'model', code: 'model_not_found' })
}
