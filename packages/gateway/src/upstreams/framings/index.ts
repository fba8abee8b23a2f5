// The only list of framings.
import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { Framing, Upstream } from '../../config/types.ts'
import type { OutgoingRequest, Send } from '../outgoing.ts'
import { deployments } from './deployments.ts'
import type { Frame } from './framing.ts'
import { invokeModel } from './invoke-model.ts'
import { predict } from './predict.ts'
import { marksInBlocks, rawPredict } from './raw-predict.ts'

const FRAMINGS: Readonly<Record<Framing, Frame>> = {
  'invoke-model': invokeModel,
  'raw-predict': rawPredict,
  'marks-in-blocks': marksInBlocks,
  predict,
  deployments,
}

export async function sendFramed(
  send: (upstream: Upstream, outgoing: OutgoingRequest) => ReturnType<Send>,
  framing: Framing,
  upstream: Upstream,
  outgoing: OutgoingRequest,
): Promise<UpstreamResponse> {
  const { sent, read } = FRAMINGS[framing](outgoing, upstream)
  const reply = await send(upstream, sent)
  return read ? read(reply) : reply
}
