// What calls of image models depend on.

import type { MediaStore } from '../media/media-store.ts'
import type { SignedUrls } from '../media/signed-urls.ts'
import type { Spool } from '../media/spool.ts'
import type { RoutingDependencies } from '../routing/dependencies.ts'
import type { fetchPublic } from '../upstreams/public/fetch-public.ts'

export type ImageDependencies = RoutingDependencies & {
  mediaStore: MediaStore
  signedUrls: SignedUrls
  spool: Spool
  fetchPublic: typeof fetchPublic
}
