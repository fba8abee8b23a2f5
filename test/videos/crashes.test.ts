// kill -9 during video tasks: a sample of `npm run torture`; torture/sizes.ts says how large.
import { crashVideos } from '../../torture/scenarios/crash-videos.ts'
import { testSample } from '../support/torture-sample.ts'

testSample([crashVideos])
