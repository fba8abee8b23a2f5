// kill -9 during image calls: a sample of `npm run torture`; torture/sizes.ts says how large.

import { testSample } from '../../test/support/torture-sample.ts'
import { crashImages } from '../../torture/scenarios/crashes/crash-images.ts'

testSample([crashImages])
