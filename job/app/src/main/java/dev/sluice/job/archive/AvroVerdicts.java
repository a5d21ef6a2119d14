package dev.sluice.job.archive;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.replay.VerdictLine;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.VerdictOutcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.flink.api.common.serialization.BulkWriter;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Factory of writers of verdicts as Avro container files.
 *
 * <p>The columns are those of {@link VerdictLine}, but the reason of a dead letter has a column of
 * its own. The part that all packets of a rule share is encoded once.
 */
record AvroVerdicts(List<String> captures, ArchiveRules rules)
        implements BulkWriter.Factory<CapturePiece> {

    /** Level of compression: fast, and at most half of the bytes remain. */
    private static final int COMPRESSION = 1;

    // Branches of the schema's unions.
    private static final int NULL = 0;
    private static final int VALUE = 1;

    /**
     * Returns the schema of a record.
     *
     * @param rules which have columns of a policy, or of one of several stages
     */
    static Schema schema(ArchiveRules rules) throws IOException {
        boolean stages = rules.stages() > 0;
        Set<String> ofPolicies = rules.rules().isPolicy() ? Set.of() : Set.of("outcome", "assumed");
        Schema all = schema();
        List<Schema.Field> fields =
                all.getFields().stream()
                        .filter(field -> stages || !field.name().equals("earlier"))
                        .filter(field -> !ofPolicies.contains(field.name()))
                        .map(field -> new Schema.Field(field, field.schema()))
                        .toList();
        return Schema.createRecord(all.getName(), all.getDoc(), all.getNamespace(), false, fields);
    }

    private static Schema schema() throws IOException {
        try (InputStream in = AvroVerdicts.class.getResourceAsStream("PacketVerdict.avsc")) {
            if (in == null) {
                throw new IllegalStateException("PacketVerdict.avsc is not on the class path");
            }
            return new Schema.Parser().parse(in);
        }
    }

    @Override
    public BulkWriter<CapturePiece> create(FSDataOutputStream out) throws IOException {
        return new Writer(out, captures, rules);
    }

    private static final class Writer implements BulkWriter<CapturePiece> {
        private final DataFileWriter<GenericRecord> file;
        private final List<String> captures;
        private final RuleSet rules;
        private final int stages;
        private final byte[] @Nullable [] verdicts;
        private final byte[] miss;

        private final boolean policy;

        /** Fields of a policy's answer, by outcome. */
        private final byte[][] answers = new byte[VerdictOutcome.values().length][];

        private final ByteArrayOutputStream record = new ByteArrayOutputStream();
        private final BinaryEncoder encoder =
                EncoderFactory.get().directBinaryEncoder(record, null);

        Writer(FSDataOutputStream out, List<String> captures, ArchiveRules archived)
                throws IOException {
            this.captures = captures;
            rules = archived.answers();
            stages = archived.stages();
            policy = rules.isPolicy();
            verdicts = new byte[rules.size()][];
            miss = verdict(null);
            for (VerdictOutcome outcome : VerdictOutcome.values()) {
                answers[outcome.ordinal()] = answer(outcome, archived.rules().assumed());
            }
            Schema schema = schema(archived);
            file = new DataFileWriter<>(new GenericDatumWriter<>(schema));
            file.setCodec(CodecFactory.deflateCodec(COMPRESSION));
            file.create(schema, out);
        }

        /** Encodes the fields after the time of a packet that was classified. */
        private byte[] verdict(@Nullable Rule rule) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            BinaryEncoder fields = EncoderFactory.get().directBinaryEncoder(bytes, null);
            if (rule == null) {
                fields.writeIndex(NULL);
                fields.writeIndex(NULL);
            } else {
                fields.writeIndex(VALUE);
                fields.writeInt(rule.line());
                fields.writeIndex(VALUE);
                fields.writeInt(rule.priority());
            }
            fields.writeIndex(VALUE);
            fields.writeString(rule == null ? rules.defaultAction() : rule.action());
            fields.writeIndex(VALUE);
            fields.writeLong(rules.version());
            fields.writeIndex(NULL); // no dead letter
            return bytes.toByteArray();
        }

        /** Encodes the fields of a policy's answer. */
        private static byte[] answer(VerdictOutcome outcome, String assumed) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            BinaryEncoder fields = EncoderFactory.get().directBinaryEncoder(bytes, null);
            text(fields, outcome.label());
            text(fields, outcome == VerdictOutcome.NONE ? "" : assumed);
            return bytes.toByteArray();
        }

        private static void text(BinaryEncoder fields, String text) throws IOException {
            fields.writeIndex(text.isEmpty() ? NULL : VALUE);
            if (!text.isEmpty()) {
                fields.writeString(text);
            }
        }

        private byte[] verdict(int found) throws IOException {
            byte[] known = found == VerdictBatch.MISS ? miss : verdicts[found];
            if (known == null) {
                known = verdict(rules.rules().get(found));
                verdicts[found] = known;
            }
            return known;
        }

        @Override
        public void addElement(CapturePiece piece) throws IOException {
            CaptureBatch packets = piece.packets();
            String capture = captures.get(packets.capture());
            int header = 0;
            for (int i = 0; i < packets.packets(); i++) {
                record.reset();
                encoder.writeString(capture);
                encoder.writeLong(packets.number(i));
                time(CaptureReader.clampedTimeNs(packets.timeLow(i), packets.timeHigh(i)));
                String reason = packets.reason(i);
                if (reason == null) {
                    encoder.writeFixed(verdict(piece.verdicts().rule(header)));
                } else {
                    deadLetter(reason);
                }
                if (stages > 0) {
                    text(
                            encoder,
                            reason == null
                                    ? ArchiveRules.earlier(rules, stages, piece.verdicts(), header)
                                    : "");
                }
                if (policy) {
                    VerdictOutcome outcome =
                            reason == null
                                    ? rules.outcome(piece.verdicts().rule(header))
                                    : VerdictOutcome.NONE;
                    encoder.writeFixed(answers[outcome.ordinal()]);
                }
                header += reason == null ? 1 : 0;
                file.appendEncoded(ByteBuffer.wrap(record.toByteArray()));
            }
        }

        private void time(long ns) throws IOException {
            if (ns == Column.NO_TIME) {
                encoder.writeIndex(NULL);
            } else {
                encoder.writeIndex(VALUE);
                encoder.writeLong(ns);
            }
        }

        private void deadLetter(String reason) throws IOException {
            for (int field = 0; field < 4; field++) {
                encoder.writeIndex(NULL); // rule, priority, action, version
            }
            encoder.writeIndex(VALUE);
            encoder.writeString(reason);
        }

        @Override
        public void flush() throws IOException {
            file.flush();
        }

        @Override
        public void finish() throws IOException {
            flush(); // the sink closes the stream
        }
    }
}
