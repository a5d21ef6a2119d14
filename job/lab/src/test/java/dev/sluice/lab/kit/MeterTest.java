package dev.sluice.lab.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MeterTest {
    @Test
    void roundsThatWarmUpDoNotCount() {
        AtomicLong round = new AtomicLong();

        Samples samples = new Meter(3, 5).measure(round::incrementAndGet);

        assertThat(round).hasValue(8);
        assertThat(samples.min()).isEqualTo(4);
        assertThat(samples.median()).isEqualTo(6);
        assertThat(samples.max()).isEqualTo(8);
    }

    @Test
    void threadsStartTogetherAndTheirFiguresAreSummed() {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        try {
            assertThat(Meter.together(pool, 3, thread -> thread + 1)).isEqualTo(6);
            assertThatThrownBy(
                            () ->
                                    Meter.together(
                                            pool,
                                            2,
                                            thread -> {
                                                throw new IllegalArgumentException("wrong");
                                            }))
                    .hasRootCauseMessage("wrong");
        } finally {
            pool.shutdownNow();
        }
    }

    /** Thread-local caches are warm from one round to the next. */
    @Test
    void roundsRunInTheSameThreads() {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try {
            Set<Thread> seen = ConcurrentHashMap.newKeySet();
            for (int round = 0; round < 4; round++) {
                Meter.together(pool, 2, thread -> seen.add(Thread.currentThread()) ? 1 : 0);
            }
            assertThat(seen).hasSize(2);
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void durationsHavePercentiles() {
        Durations durations = new Durations();
        for (int micros = 1; micros <= 1000; micros++) {
            durations.add(micros);
        }
        durations.add(90_000_000L);
        durations.add(90_000_000L);
        durations.add(-5);

        assertThat(durations.count()).isEqualTo(1003);
        assertThat(durations.percentile(50)).isEqualTo(501);
        assertThat(durations.percentile(0)).isZero();
        assertThat(durations.percentile(100)).isEqualTo(durations.max());
        assertThat(durations.max()).isBetween(90_000_000.0, 90_090_000.0);
        assertThat(new Durations().percentile(99)).isNaN();
        assertThat(new Durations().max()).isNaN();
    }
}
