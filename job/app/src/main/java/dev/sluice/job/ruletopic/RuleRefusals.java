package dev.sluice.job.ruletopic;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.PartitionReader;
import dev.sluice.job.kafka.SinkRecords;
import dev.sluice.operators.rules.serving.RefusedVersion;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** Refusals of rules by jobs, from their dead letters. */
public final class RuleRefusals {
    private static final String RULES = "rules: ";

    /**
     * A refusal by a job.
     *
     * @param version the version that it refused, 0 if the dead letter does not tell
     * @param history the version's history, empty if the dead letter does not tell
     * @param offset of the message in the rules topic, -1 if the dead letter does not tell
     * @param reason stable text
     * @param detail more for a person
     * @param timeNs when it was said, ns since 1970 UTC
     * @param job transactional-id prefix of the job; empty if the dead letter does not tell
     */
    public record Refusal(
            long version,
            String history,
            long offset,
            String reason,
            String detail,
            long timeNs,
            String job) {
        /** Tells whether it is one of a transaction. */
        public boolean isOf(RuleLogEntry entry) {
            return offset >= 0
                    ? offset >= entry.offset() && offset <= entry.commitOffset()
                    : entry.isTransaction()
                            && version == entry.version()
                            && history.equals(entry.history());
        }

        /** Entry for the log where the topic no longer has what was refused. */
        public RuleLogEntry ofNoEntry() {
            return RuleLogEntry.ofNone(offset, timeNs, 0, null);
        }
    }

    private RuleRefusals() {}

    /**
     * Reads refusals of versions of a rules topic.
     *
     * @param deadLetters the topic of dead letters, which must exist
     * @param rules the rules topic
     * @param fromNs time of the oldest dead letter that is of interest
     */
    public static List<Refusal> read(
            KafkaClients kafka,
            String deadLetters,
            String rules,
            long fromNs,
            RuleTopic.Progress progress) {
        List<Refusal> found = new ArrayList<>();
        try (PartitionReader reader = new PartitionReader(kafka, deadLetters)) {
            long end = reader.committedEnd();
            long from = Math.min(end, reader.offsetAt(Math.max(0, fromNs / 1_000_000)));
            reader.read(
                    from,
                    end,
                    message -> {
                        add(found, message, rules);
                        progress.at(message.offset() + 1 - from, end - from);
                    });
            if (from < end) {
                progress.at(end - from, end - from); // the last record is Kafka's own: a commit
            }
        }
        return found;
    }

    private static void add(
            List<Refusal> found, ConsumerRecord<byte[], byte[]> message, String rules) {
        if (message.value() == null) {
            return;
        }
        DeadLetter letter;
        try {
            letter = DeadLetter.decode(message.value());
        } catch (MalformedMessageException e) {
            return; // none of ours
        }
        DeadLetter.Message where = letter.message();
        boolean ours = where != null && where.topic().equals(rules);
        if (!ours && !(where == null && letter.reason().startsWith(RULES))) {
            return;
        }
        Optional<RefusedVersion> refused = RefusedVersion.of(letter);
        Header job = message.headers().lastHeader(SinkRecords.JOB);
        found.add(
                new Refusal(
                        refused.map(RefusedVersion::version).orElse(0L),
                        refused.map(RefusedVersion::history).orElse(""),
                        where == null ? -1 : where.offset(),
                        letter.reason(),
                        refused.map(RefusedVersion::why).orElse(letter.detail()),
                        message.timestamp() * 1_000_000L,
                        job == null ? "" : new String(job.value(), UTF_8)));
    }
}
