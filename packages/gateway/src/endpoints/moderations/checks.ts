// How an upstream's moderations are checked.
import type { EndpointChecks } from '../../upstreams/diagnostics/endpoint-checks.ts'
import { json, listOf, TEXTS } from '../../upstreams/diagnostics/service-check.ts'

export const checks = {
  services: {
    moderations: [
      {
        row: 'moderation',
        body: (model) => json({ model, input: TEXTS[0] }),
        counted: { requests: 1 },
        most: { input: 50 },
        judge: (reply) =>
          typeof Object(listOf(reply, 'results')[0]).flagged === 'boolean' ? undefined : 'the response has no results',
      },
    ],
  },
} satisfies EndpointChecks
