package dev.sluice.job.hits;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.SluiceException;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.PacketParser;
import dev.sluice.job.capture.ParsedPacket;
import dev.sluice.job.importers.TextFiles;
import dev.sluice.operators.statistics.CountedRules;
import dev.sluice.operators.statistics.HitCounter;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.schemas.codec.RuleStatistics;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Classifies captures in this thread and counts what hits each rule. */
public final class CaptureHits implements AutoCloseable {
    private static final int BATCH = 4096;

    private final Engine engine;
    private final RuleSetVersion version;
    private final CountedRules rules;
    private final HitCounter counter = new HitCounter(StatisticsOptions.TOTALS);
    private final PacketParser parser = new PacketParser();
    private final ParsedPacket packet = new ParsedPacket();
    private final HeaderBatch headers;
    private final VerdictBatch verdicts = new VerdictBatch(BATCH);
    private final long[] times = new long[BATCH];
    private final int[] lengths = new int[BATCH];
    private final @Nullable Integer inPort;
    private long packets;
    private long unclassified;

    /**
     * A count that begins at 0.
     *
     * @param inPort ingress port of all packets, or null where it is not known
     */
    public CaptureHits(RuleSet ruleSet, @Nullable Integer inPort) {
        this.inPort = inPort;
        engine = Engine.open(ruleSet, EngineOptions.DEFAULTS.withGpu(GpuPool.Selection.OFF));
        version = engine.current();
        headers = version.newBatch(BATCH);
        List<Rule> ordered = version.rules().rules(); // a set that was just loaded has no changes
        rules =
                new CountedRules() {
                    @Override
                    public String history() {
                        return "";
                    }

                    @Override
                    public long version() {
                        return ruleSet.version();
                    }

                    @Override
                    public int slots() {
                        return ordered.size();
                    }

                    @Override
                    public long ruleId(int verdict) {
                        return ordered.get(verdict).id();
                    }
                };
    }

    /**
     * Counts the packets of a capture.
     *
     * @return how it ended; every packet before that was counted
     * @throws SluiceException if the file cannot be read
     */
    public CaptureEnd add(Path file) {
        try (CaptureReader capture = CaptureReader.open(file)) {
            while (capture.next()) {
                packets++;
                parser.parse(capture, packet);
                if (!packet.status().isClassified()) {
                    unclassified++;
                    continue;
                }
                int[] words = packet.words();
                if (inPort != null) {
                    words[HeaderWord.IN_PORT] = inPort;
                    words[HeaderWord.IP] |= Field.IN_PORT_PRESENT.place(1);
                }
                times[headers.size()] = capture.clampedTimeNs();
                lengths[headers.size()] = (int) Math.min(Integer.MAX_VALUE, capture.wireLength());
                headers.add(words);
                if (headers.isFull()) {
                    classify();
                }
            }
            return capture.end();
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("capture", file, e), e);
        }
    }

    private void classify() {
        if (headers.size() == 0) {
            return;
        }
        engine.submit(version, headers, verdicts).await();
        counter.count(verdicts.rules(), 0, headers.size(), times, lengths, rules);
        headers.clear(headers.layout());
    }

    /** What was counted since this was asked last. */
    public List<RuleStatistics> take() {
        classify();
        List<RuleStatistics> statistics = new ArrayList<>();
        counter.drain(hits -> statistics.add(hits.toStatistics()));
        return statistics;
    }

    /** Packets that were read. */
    public long packets() {
        return packets;
    }

    /** Packets that cannot be classified, which hit no rule and miss none. */
    public long unclassified() {
        return unclassified;
    }

    @Override
    public void close() {
        engine.close();
    }
}
