// kill -9 during video tasks: a sample of `npm run torture`; torture/sizes.ts says how large.

import { testSample } from '../../test/support/torture-sample.ts'
import { crashVideos } from '../../torture/scenarios/crashes/crash-videos.ts'

testSample([crashVideos])
