package dev.sluice.lab.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.cli.JsonOption;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SoakMeterTest {
    private static final long MEBIBYTE = 1 << 20;

    private static ObjectNode taken(long heap, long direct, long threads, long descriptors) {
        return JsonOption.object()
                .put(JvmProbe.HEAP, heap)
                .put(JvmProbe.DIRECT, direct)
                .put(JvmProbe.THREADS, threads)
                .put(JvmProbe.DESCRIPTORS, descriptors);
    }

    private static List<ObjectNode> samples(IntFunction<ObjectNode> workers) {
        return IntStream.range(0, 40)
                .mapToObj(
                        i -> {
                            ObjectNode sample = JsonOption.object().put("seconds", 10 * i);
                            sample.set("taskManagers", workers.apply(i));
                            sample.set("jobManager", taken(80 * MEBIBYTE, MEBIBYTE, 90, 200));
                            return sample.put("clusterBytes", 20 * MEBIBYTE)
                                    .put("brokerBytes", i * MEBIBYTE);
                        })
                .toList();
    }

    @Test
    void whatSwingsAndWhatGrowsInTheFirstQuarterAloneIsFlat() {
        assertEquals(
                Optional.empty(),
                SoakMeter.growth(
                        samples(
                                i ->
                                        taken(
                                                Math.min(i, 10) * 20 * MEBIBYTE
                                                        + i % 3 * 9 * MEBIBYTE,
                                                MEBIBYTE,
                                                100 + i % 5,
                                                300))));
    }

    @Test
    void eachFigureThatGrowsIsNamed() {
        assertTrue(
                said(i -> taken(i * 3 * MEBIBYTE, 0, 0, 0))
                        .startsWith("taskManagers.heapBytes grows from "));
        assertTrue(
                said(i -> taken(0, i * MEBIBYTE, 0, 0))
                        .startsWith("taskManagers.directBytes grows from "));
        assertEquals(
                "taskManagers.threads grows from 15 to 35; see the samples",
                said(i -> taken(0, 0, i, 0)));
        assertEquals(
                "taskManagers.descriptors grows from 15 to 35; see the samples",
                said(i -> taken(0, 0, 0, i)));
    }

    private static String said(IntFunction<ObjectNode> workers) {
        return SoakMeter.growth(samples(workers)).orElse("nothing grows");
    }
}
