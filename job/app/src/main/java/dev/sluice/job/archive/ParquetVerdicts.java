package dev.sluice.job.archive;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.VerdictOutcome;
import java.io.IOException;
import java.util.List;
import org.apache.flink.api.common.serialization.BulkWriter;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.parquet.io.api.Binary;
import org.jspecify.annotations.Nullable;

/**
 * Factory of writers of verdicts as Parquet files, with the rows and columns of {@link
 * AvroVerdicts}.
 */
record ParquetVerdicts(List<String> captures, ArchiveRules rules, int rowGroupBytes)
        implements BulkWriter.Factory<CapturePiece> {
    /**
     * Size of a row group: small, since each task holds one in memory; it still has some millions
     * of rows.
     */
    static final int ROW_GROUP_BYTES = 16 << 20;

    // Columns, in the order of the schema.
    private static final int CAPTURE = 0;
    private static final int PACKET = 1;
    private static final int TIME = 2;
    private static final int RULE = 3;
    private static final int PRIORITY = 4;
    private static final int ACTION = 5;
    private static final int VERSION = 6;
    private static final int DEAD_LETTER = 7;
    private static final int EARLIER = 8;

    @Override
    public BulkWriter<CapturePiece> create(FSDataOutputStream out) throws IOException {
        return new Writer(
                new ParquetFile(
                        out,
                        AvroVerdicts.schema(rules),
                        List.of("packet", "timeNs"),
                        rowGroupBytes),
                captures,
                rules);
    }

    private static final class Writer implements BulkWriter<CapturePiece> {
        private final ParquetFile file;
        private final List<String> captures;
        private final RuleSet rules;
        private final int stages;
        private final @Nullable Binary[] actions;
        private final Binary defaultAction;
        private final boolean policy;
        private final String assumed;

        Writer(ParquetFile file, List<String> captures, ArchiveRules archived) {
            this.file = file;
            this.captures = captures;
            stages = archived.stages();
            rules = archived.answers();
            policy = rules.isPolicy();
            assumed = archived.rules().assumed();
            actions = new Binary[rules.size()];
            defaultAction = Binary.fromString(rules.defaultAction());
        }

        @Override
        public void addElement(CapturePiece piece) throws IOException {
            CaptureBatch packets = piece.packets();
            Binary capture = Binary.fromString(captures.get(packets.capture()));
            int header = 0;
            for (int i = 0; i < packets.packets(); i++) {
                file.put(CAPTURE, capture);
                file.put(PACKET, packets.number(i));
                time(CaptureReader.clampedTimeNs(packets.timeLow(i), packets.timeHigh(i)));
                String reason = packets.reason(i);
                String earlier =
                        reason == null && stages > 0
                                ? ArchiveRules.earlier(rules, stages, piece.verdicts(), header)
                                : "";
                VerdictOutcome outcome = VerdictOutcome.NONE;
                if (reason == null) {
                    int found = piece.verdicts().rule(header++);
                    outcome = policy ? rules.outcome(found) : outcome;
                    verdict(found);
                    file.put(VERSION, rules.version());
                    file.putNull(DEAD_LETTER);
                } else {
                    for (int column = RULE; column <= VERSION; column++) {
                        file.putNull(column);
                    }
                    file.put(DEAD_LETTER, Binary.fromString(reason));
                }
                if (stages > 0) {
                    text(EARLIER, earlier);
                }
                if (policy) {
                    int column = stages > 0 ? EARLIER + 1 : EARLIER;
                    text(column, outcome.label());
                    text(column + 1, outcome == VerdictOutcome.NONE ? "" : assumed);
                }
                file.endRow();
            }
        }

        private void text(int column, String text) throws IOException {
            if (text.isEmpty()) {
                file.putNull(column);
            } else {
                file.put(column, Binary.fromString(text));
            }
        }

        private void time(long ns) {
            if (ns == Column.NO_TIME) {
                file.putNull(TIME);
            } else {
                file.put(TIME, ns);
            }
        }

        private void verdict(int found) {
            if (found == VerdictBatch.MISS) {
                file.putNull(RULE);
                file.putNull(PRIORITY);
                file.put(ACTION, defaultAction);
                return;
            }
            Rule rule = rules.rules().get(found);
            Binary action = actions[found];
            if (action == null) {
                action = Binary.fromString(rule.action());
                actions[found] = action;
            }
            file.put(RULE, rule.line());
            file.put(PRIORITY, rule.priority());
            file.put(ACTION, action);
        }

        /** Does nothing: rows are written by row groups, and the file ends with its footer. */
        @Override
        public void flush() {}

        @Override
        public void finish() throws IOException {
            file.finish(); // the sink closes the stream
        }
    }
}
