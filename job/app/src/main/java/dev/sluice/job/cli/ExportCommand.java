package dev.sluice.job.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.capture.ReadShare;
import dev.sluice.job.capture.ShutTunnels;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.job.replay.Progress;
import dev.sluice.job.watch.Interruption;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.kafka.common.acl.AclOperation;
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
                    + "packets that cannot be classified to the dead-letter topic; or their frames, with --format frames.",
            "Exit status 1 if a capture did not end cleanly. Interrupted, it says how far it came.",
            ""
        })
final class ExportCommand implements Callable<Integer>, Interruptible {
    /** True while the command itself reports its progress when it is interrupted. */
    private volatile boolean reading;

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
            description = {
                "blocks (many headers a message, fast), records (one header a message) or frames (one raw",
                "Ethernet frame a message, as Apache Metron's pycapa writes them: key = capture time as 8 bytes,",
                "big-endian, in µs since 1970; for run --packet-format frames) (default ${DEFAULT-VALUE})."
            })
    private PacketExporter.Format format = PacketExporter.Format.BLOCKS;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        PacketExporter.Options options = export.toOptions(format);
        List<Path> files = captures.files();
        PacketExporter.requireCaptures(files);
        if (format == PacketExporter.Format.FRAMES) {
            PacketExporter.requireEthernet(files);
        }
        try (KafkaAccess access = creation.connect(topics, 2)) {
            access.requireTopics(
                    AclOperation.WRITE, topics.names().packets(), topics.names().deadLetters());
        }
        int damaged = 0;
        ExportedPackets exported = new ExportedPackets();
        ReadShare share = new ReadShare(files);
        ShutTunnels shut = new ShutTunnels();
        ObjectNode told = JsonOption.object();
        ArrayNode captured = told.putArray("captures");
        try (Interruption interruption = new Interruption();
                MessageProducer producer = new MessageProducer(topics.kafka());
                Progress progress = new Progress(err, "exporting")) {
            reading = true;
            PacketExporter.Listener listener =
                    new PacketExporter.Listener() {
                        @Override
                        public void packet(
                                int capture, long number, long timeLow, int timeHigh, int length) {
                            interruption.check();
                            exported.add();
                            if ((exported.count() & 0xffff) == 0) {
                                progress.at(exported.count(), share.part());
                            }
                        }

                        @Override
                        public void beforeSend() {}
                    };
            PacketExporter exporter =
                    new PacketExporter(producer, topics.names(), options, listener);
            try {
                for (int i = 0; i < files.size(); i++) {
                    exported.begin(files.get(i));
                    CaptureEnd end = exporter.export(files.get(i), i, share);
                    producer.flush();
                    damaged += end.isClean() ? 0 : 1;
                    captured.addObject()
                            .put("capture", files.get(i).toString())
                            .put("packets", exported.ofFile())
                            .put("end", end.kind().label());
                    err.println(end.describe(files.get(i).toString()));
                }
            } catch (SluiceException e) {
                progress.at(exported.count(), exported.count(), false);
                // Of a capture that broke off all is sent; otherwise blocks may not be full yet.
                boolean sent = e.getCause() instanceof IOException;
                if (sent) {
                    producer.flush();
                }
                throw new SluiceException(e.getMessage() + "; " + exported.describe(sent), e);
            }
            shut.add(exporter.shutTunnels());
            progress.at(exported.count(), exported.count(), damaged == 0);
        }
        if (shut.sum() > 0) {
            err.println("sluice: " + shut.describe());
        }
        if (json.isGiven()) {
            JsonOption.print(spec.commandLine().getOut(), told.put("packets", exported.count()));
            return damaged == 0 ? 0 : 1;
        }
        spec.commandLine()
                .getOut()
                .println(
                        Amount.of(exported.count(), "packet")
                                + " exported"
                                + (damaged == 0
                                        ? ""
                                        : "; not what is behind the damage of "
                                                + Amount.of(damaged, "capture")));
        return damaged == 0 ? 0 : 1;
    }

    @Override
    public String whereItStands() {
        return reading ? ITSELF : "nothing was read";
    }
}
