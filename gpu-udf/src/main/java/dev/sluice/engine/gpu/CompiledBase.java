package dev.sluice.engine.gpu;

import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.lookup.VersionLookUp;
import dev.sluice.engine.memory.ChangeSource;
import dev.sluice.schemas.header.HeaderBatch;
import org.jspecify.annotations.Nullable;

/**
 * The version of the rules as they were compiled. Thread-safe.
 *
 * @param cpu looks into the image on the CPU
 */
record CompiledBase(Classifier cpu) implements VersionLookUp {
    @Override
    public boolean changed() {
        return false;
    }

    @Override
    public int tick() {
        return 0;
    }

    @Override
    public int directory() {
        return 0;
    }

    @Override
    public @Nullable ChangeSource source() {
        return null;
    }

    @Override
    public void classify(HeaderBatch headers, VerdictBatch verdicts) {
        cpu.classify(headers, verdicts);
    }
}
