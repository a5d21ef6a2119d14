package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.ChangingVersions.Version;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.VersionedSession;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.List;

/** The versions of a story, behind a base that an algorithm compiled. */
abstract class ChangingVersionsSession extends VersionedSession<Version> {
    final ChangingVersions versions;

    ChangingVersionsSession(RuleSet rules, HeaderLayout layout, String algorithm) {
        versions = new ChangingVersions(rules, layout, Algorithm.of(algorithm));
    }

    /** Headers as a batch that has room for no others. */
    final HeaderBatch batch(List<int[]> headers) {
        HeaderBatch batch = new HeaderBatch(versions.cpu().layout(), Math.max(1, headers.size()));
        headers.forEach(batch::add);
        return batch;
    }

    @Override
    protected final Version acquire() {
        return versions.version();
    }

    @Override
    protected final void release(Version version) {
        version.close();
    }

    @Override
    protected final void change(RuleDelta delta) {
        versions.change(delta).close();
    }
}
