package dev.sluice.job.cli;

import dev.sluice.job.Amount;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.job.replay.Progress;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice export}: captures into a packets topic. */
@Command(
        name = "export",
        description = {
            "Sends the headers of captures to the packets topic of a Kafka cluster, and "
                    + "packets that cannot be classified to the dead-letter topic.",
            "Exit status 1 if a capture did not end cleanly.",
            ""
        })
final class ExportCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private CaptureArguments captures = new CaptureArguments();

    @Mixin
    private TopicOptions topics =
            new TopicOptions(TopicOptions.Topic.PACKETS, TopicOptions.Topic.DEAD_LETTERS);

    @Mixin private TopicCreation creation = new TopicCreation();

    @Mixin private ExportOptions export = new ExportOptions();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "blocks",
            description =
                    "blocks (many headers a message, fast) or records (one header a message) (default ${DEFAULT-VALUE}).")
    private String format = "blocks";

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        PacketExporter.Format as = Choice.parse("--format", format, PacketExporter.Format.class);
        PacketExporter.Options options = export.toOptions(as);
        try (KafkaAccess access = creation.connect(topics, 2)) {
            access.requireTopics(topics.names().packets(), topics.names().deadLetters());
        }
        boolean clean = true;
        long[] packets = new long[1];
        try (MessageProducer producer = new MessageProducer(topics.bootstrap());
                Progress progress = new Progress(err, "exporting")) {
            PacketExporter.Listener listener =
                    new PacketExporter.Listener() {
                        @Override
                        public void packet(int capture, long number, long timeLow, int timeHigh) {
                            if ((++packets[0] & 0xffff) == 0) {
                                progress.at(packets[0], packets[0], false);
                            }
                        }

                        @Override
                        public void beforeSend() {}
                    };
            PacketExporter exporter =
                    new PacketExporter(producer, topics.names(), options, listener);
            List<Path> files = captures.files();
            for (int i = 0; i < files.size(); i++) {
                CaptureEnd end = exporter.export(files.get(i), i);
                clean &= end.isClean();
                err.println(end.describe(files.get(i).toString()));
            }
            producer.flush();
            progress.at(packets[0], packets[0], true);
        }
        spec.commandLine().getOut().println(Amount.of(packets[0], "packet") + " exported");
        return clean ? 0 : 1;
    }
}
