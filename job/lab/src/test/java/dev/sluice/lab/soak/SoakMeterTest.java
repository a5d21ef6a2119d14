package dev.sluice.lab.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SoakMeterTest {
    private static final long MEBIBYTE = 1 << 20;

    private static List<SoakMeter.Sample> samples(IntFunction<JvmProbe.Taken> workers) {
        JvmProbe.Taken jobManager = new JvmProbe.Taken(80 * MEBIBYTE, MEBIBYTE, 90, 200);
        return IntStream.range(0, 40)
                .mapToObj(
                        i ->
                                new SoakMeter.Sample(
                                        10 * i,
                                        1_000 * i,
                                        workers.apply(i),
                                        jobManager,
                                        20 * MEBIBYTE,
                                        i * MEBIBYTE))
                .toList();
    }

    @Test
    void whatSwingsAndWhatGrowsInTheFirstQuarterAloneIsFlat() {
        assertEquals(
                Optional.empty(),
                SoakMeter.growth(
                        samples(
                                i ->
                                        new JvmProbe.Taken(
                                                Math.min(i, 10) * 20 * MEBIBYTE
                                                        + i % 3 * 9 * MEBIBYTE,
                                                MEBIBYTE,
                                                100 + i % 5,
                                                300))));
    }

    @Test
    void eachFigureThatGrowsIsNamed() {
        assertTrue(
                said(i -> new JvmProbe.Taken(i * 3 * MEBIBYTE, 0, 0, 0))
                        .startsWith("the heap of the TaskManagers grows from "));
        assertTrue(
                said(i -> new JvmProbe.Taken(0, i * MEBIBYTE, 0, 0))
                        .startsWith("the direct memory of the TaskManagers grows from "));
        assertEquals(
                "the number of the TaskManagers' threads grows from 15 to 35; see the table",
                said(i -> new JvmProbe.Taken(0, 0, i, 0)));
        assertEquals(
                "the number of the TaskManagers' descriptors grows from 15 to 35; see the table",
                said(i -> new JvmProbe.Taken(0, 0, 0, i)));
    }

    private static String said(IntFunction<JvmProbe.Taken> workers) {
        return SoakMeter.growth(samples(workers)).orElse("nothing grows");
    }
}
