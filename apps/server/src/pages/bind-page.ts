import type { AnyOperation } from '@svc/contract'
import { type Answer, type Call, type Handled, Problem } from '../kernel/http/index.ts'
import type { Page } from './layout.ts'
import { type PageParts, type PageRequest, readPageRequest, requireOwnForm, showProblem } from './page-request.ts'

type Run<Op extends AnyOperation> = (call: Call<Op>, page: PageRequest) => Promise<Answer<string>> | Answer<string>

/** A page: a refusal becomes a page of its own. */
export function bindPage<Op extends AnyOperation>(parts: PageParts, operation: Op, run: Run<Op>): Handled {
  return bind(operation, async (call) => {
    const page = await readPageRequest(parts, call)
    try {
      return await run(call, page)
    } catch (error) {
      return showProblem(page, error)
    }
  })
}

interface FormRun<Op extends AnyOperation> {
  readonly run: Run<Op>
  /** The form once more, with what was wrong. */
  readonly again?: (call: Call<Op>, page: PageRequest, problem: NonNullable<Page['problem']>) => Page
}

/** A form: only from our own pages; what was wrong is said above the form, which keeps what was typed. */
export function bindForm<Op extends AnyOperation>(
  parts: PageParts,
  operation: Op,
  { run, again }: FormRun<Op>,
): Handled {
  return bind(operation, async (call) => {
    const page = await readPageRequest(parts, call)
    try {
      requireOwnForm(call.request, page, readCsrf(call.body))
      return await run(call, page)
    } catch (error) {
      if (!again || !Problem.isInstance(error) || error.status === 404) return showProblem(page, error)
      const shown = again(call, page, { say: error.message, next: error.next })
      return page.show(shown, { status: error.status, headers: error.headers })
    }
  })
}

function bind<Op extends AnyOperation>(operation: Op, run: (call: Call<Op>) => Promise<Answer<string>>): Handled {
  // The pass calls it only with what it parsed by this very operation.
  return { operation, run: run as Handled['run'] }
}

function readCsrf(body: unknown): string {
  return typeof body === 'object' && body !== null && 'csrf' in body ? String(body.csrf) : ''
}
