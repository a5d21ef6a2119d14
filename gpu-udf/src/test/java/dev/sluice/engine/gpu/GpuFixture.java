package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.DrawnStories;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Rules, headers and a device on the heap that may fail, for tests of what goes there. */
abstract class GpuFixture {
    static final long SECOND = 1_000_000_000L;

    final FakeDriver fake = new FakeDriver(2);
    final FaultInjector driver = new FaultInjector(fake);
    final AtomicLong clock = new AtomicLong();

    static RuleSet rules(int seed) {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            Match match =
                    new Match.Builder()
                            .field(Field.IPV4_DST, (i * seed) << 20, 0xfff00000)
                            .field(Field.DST_PORT, i % 7)
                            .build();
            rules.add(new Rule(i + 1, i, match, "a", i + 1));
        }
        return RuleSet.of("r", 1, RuleSet.DROP, rules);
    }

    static HeaderBatch headers(RuleSet rules, int count, long seed) {
        HeaderBatch batch =
                new SampleHeaders(rules, TestSeed.of(seed)).batch(rules.layout(), count);
        RuleStory story = RuleStory.of("batch-" + seed, TestSeed.of(seed), rules, batch);
        DrawnStories.tell(() -> story);
        return batch;
    }

    static int[] expected(Classifier cpu, HeaderBatch headers) {
        VerdictBatch verdicts = new VerdictBatch(headers.size());
        cpu.classify(headers, verdicts);
        return verdicts.rules();
    }

    GpuDevice device(int buffers, int bufferHeaders) {
        return new GpuDevice(driver, 0, buffers, bufferHeaders, 4);
    }

    static OffloadMode mode(String text) {
        return OffloadPreference.parse(text).orElse(OffloadMode.PLAIN);
    }

    static void write(StagedHeaders staging, HeaderBatch batch) {
        for (int p = 0; p < batch.layout().size(); p++) {
            for (int i = 0; i < batch.size(); i++) {
                staging.words().put(p * staging.stride() + i, batch.word(p, i));
            }
        }
    }
}
