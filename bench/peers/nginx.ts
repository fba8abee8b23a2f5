// nginx, which only passes on what it gets: the least that a proxy costs.
import { nginxVersion, startNginx } from '../harness/servers.ts'
import type { Peer } from './peer.ts'

export const nginx: Peer = {
  name: 'nginx',
  version: nginxVersion() ?? 'any',
  install: 'apt-get install nginx-light   # or the package of your system',
  file: Bun.which('nginx') ?? '/usr/sbin/nginx',
  does: 'passes bytes on',
  async start({ origin, model, embeddingModel, imageModel }) {
    const server = await startNginx(Number(new URL(origin).port))
    return {
      // It changes no path.
      url: `http://127.0.0.1:${server.port}${new URL(origin).pathname.replace(/\/$/, '')}`,
      key: 'any',
      models: {
        text: [model],
        ...(embeddingModel ? { embedding: [embeddingModel] } : {}),
        ...(imageModel ? { image: [imageModel] } : {}),
      },
      headers: {},
      pid: server.pid,
      stop: server.stop,
    }
  },
}
