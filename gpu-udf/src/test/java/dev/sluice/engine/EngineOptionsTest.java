package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.engine.exact.ExactFirstAlgorithm;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.hashtree.HashTreeAlgorithm;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.rfc.RfcForm;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Options keep their types on the way to where a job runs. */
class EngineOptionsTest {
    @Test
    void optionsAreTheSameBehindTheirSerializedForm() throws Exception {
        EngineOptions options =
                EngineOptions.of(Algorithm.of("exact-first"))
                        .withBudget(1 << 20)
                        .withUpdateRate(5)
                        .withFlowCache(64)
                        .withGpu(GpuPool.Selection.parse("0,2"))
                        .with(RfcForm.OPTION, RfcForm.PAPER)
                        .with(HashTreeAlgorithm.THRESHOLD, 5)
                        .with(ExactFirstAlgorithm.EXACT_WINS, true)
                        .with(ExactFirstAlgorithm.INNER, Algorithm.of("bloom").choice());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(options);
        }
        EngineOptions read;
        try (ObjectInputStream in =
                new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            read = (EngineOptions) in.readObject();
        }
        assertEquals(options, read);
        assertEquals(RfcForm.PAPER, read.tuning().get(RfcForm.OPTION));
        assertSame(
                Algorithm.of("bloom"),
                Algorithm.of(read.tuning().get(ExactFirstAlgorithm.INNER)).orElseThrow());
        assertEquals(16, EngineOptions.DEFAULTS.tuning().get(HashTreeAlgorithm.THRESHOLD));
    }

    @Test
    void givenDevicesAreUsedWhereTheOptionsLeaveTheChoice() {
        EngineOptions open = EngineOptions.DEFAULTS;
        assertEquals(List.of(3), open.withGpusGiven(List.of(3)).gpu().ids());
        assertSame(open, open.withGpusGiven(List.of()));
        EngineOptions off = open.withGpu(GpuPool.Selection.OFF);
        assertSame(off, off.withGpusGiven(List.of(3)));
        EngineOptions named = open.withGpu(GpuPool.Selection.parse("1"));
        assertSame(named, named.withGpusGiven(List.of(3)));
    }

    @Test
    void numbersOutOfRangeAreRefused() {
        EngineOptions options = EngineOptions.DEFAULTS;
        assertThrows(IllegalArgumentException.class, () -> options.withBudget(0));
        assertThrows(IllegalArgumentException.class, () -> options.withUpdateRate(-1));
        assertThrows(IllegalArgumentException.class, () -> options.withUpdateRate(Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> options.withFlowCache(-2));
    }
}
