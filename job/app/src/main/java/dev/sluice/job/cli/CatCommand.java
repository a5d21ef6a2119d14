package dev.sluice.job.cli;

import dev.sluice.job.kafka.TopicScan;
import dev.sluice.job.read.MessageJson;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.watch.Interruption;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sluice cat}: a topic as lines of JSON. */
@Command(
        name = "cat",
        description = {
            "Prints the committed messages of a topic of Sluice, each as a line of JSON: topic, partition, "
                    + "offset, time, key (a flow shard, or a text), name of the schema, fields. Columns of blocks are "
                    + "printed as their values.",
            "A message that cannot be read is printed as its bytes and the reason.",
            ""
        })
final class CatCommand extends SluiceCommand implements Interruptible {
    @Parameters(paramLabel = "TOPIC", description = "Name of the topic.")
    private String topic = "";

    @Mixin private TopicOptions cluster = new TopicOptions();

    @Mixin private ReadOptions read = new ReadOptions();

    @Override
    public Integer call() {
        LinesOut out = new LinesOut(out(), read.limit);
        MessageJson json = new MessageJson(read.schemaIds());
        try (Interruption interruption = read.interruption();
                TopicScan scan = read.scan(cluster.kafka(), topic)) {
            BooleanSupplier ended = read.until(interruption);
            scan.forEach(
                    new TopicScan.Visitor() {
                        @Override
                        public boolean take(ConsumerRecord<byte[], byte[]> message) {
                            return !ended.getAsBoolean() && out.line(json.line(message));
                        }

                        @Override
                        public boolean pause() {
                            return out.flush() && !ended.getAsBoolean();
                        }
                    });
            out.flush();
            read.sayInterrupted(interruption, err());
        }
        return 0;
    }

    @Override
    public @Nullable String whereItStands() {
        return read.whereItStands();
    }
}
