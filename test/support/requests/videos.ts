// Requests for videos, as a client of the video-tasks dialect sends them.
import { eventually } from '../eventually.ts'

export const TASKS_PATH = '/api/v3/contents/generations/tasks'

export type ShownTask = {
  id: string
  model: string
  status: string
  error?: { code: string; message: string } | null
  content?: { video_url?: string; last_frame_url?: string }
  usage?: { completion_tokens: number; total_tokens: number }
  created_at: number
  updated_at: number
} & Record<string, unknown>

export type ShownError = { error: { code: string; message: string; param: string; type: string } }

export const text = (prompt = 'A lighthouse at night') => ({ type: 'text', text: prompt })
export const videoBody = (model = 'vid', more: object = {}) => ({ model, content: [text()], ...more })

export type VideoClient = ReturnType<typeof videoClient>

export function videoClient(gateway: { url: string }, secret: string) {
  const call = (method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${gateway.url}${TASKS_PATH}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
    })
  const send = (body: object | string, headers?: Record<string, string>) =>
    call('POST', '', typeof body === 'string' ? body : JSON.stringify(body), headers)
  const show = (id: string) => call('GET', `/${id}`)
  const read = async (id: string) => (await (await show(id)).json()) as ShownTask
  return {
    call,
    send,
    show,
    read,
    /** The id of a task that is accepted. */
    async submit(body: object = videoBody(), headers?: Record<string, string>): Promise<string> {
      const response = await send(body, headers)
      const answer = (await response.json()) as { id: string; task_id: string }
      if (response.status !== 200) throw new Error(`${response.status}: ${JSON.stringify(answer)}`)
      if (answer.id !== answer.task_id) throw new Error(`two ids: ${JSON.stringify(answer)}`)
      return answer.id
    },
    list: (query = '') => call('GET', query),
    remove: (id: string) => call('DELETE', `/${id}`),
    /** The task as soon as it has one of these statuses. */
    async until(id: string, ...statuses: string[]): Promise<ShownTask> {
      let task = await read(id)
      await eventually(async () => {
        task = await read(id)
        return statuses.includes(task.status)
      })
      return task
    },
  }
}

/** The status, the code and the parameter of an error in the dialect. */
export async function errorOf(response: Response): Promise<[status: number, code: string, param: string]> {
  const { error } = (await response.json()) as ShownError
  return [response.status, error.code, error.param]
}
