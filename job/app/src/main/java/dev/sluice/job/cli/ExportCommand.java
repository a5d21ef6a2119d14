package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.hits.CapturedFacts;
import dev.sluice.job.hits.InterfaceMap;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.job.replay.CaptureExport;
import dev.sluice.job.replay.Progress;
import dev.sluice.job.watch.Interruption;
import dev.sluice.policy.model.AskedFacts;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.common.acl.AclOperation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice export}: captures into a packets topic. */
@Command(
        name = "export",
        description = {
            "Sends the headers of captures, or with --format frames their frames, to the packets topic of a Kafka cluster. "
                    + "Packets that cannot be classified go to the dead-letter topic.",
            "Exit status 1 if a capture did not end cleanly. Interrupted, it says how far it came.",
            ""
        })
final class ExportCommand extends SluiceCommand implements Interruptible {
    /** True while the command itself reports its progress when it is interrupted. */
    private volatile boolean reading;

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
                    "blocks (many headers a message, fast), records (one header a message) or frames (one raw Ethernet frame a message, as Apache Metron's pycapa writes them: key = capture time as 8 bytes, big-endian, in µs since 1970; for run --packet-format frames) (default ${DEFAULT-VALUE}).")
    private PacketExporter.Format format = PacketExporter.Format.BLOCKS;

    @Option(
            names = "--tcp-windows",
            description =
                    "Send the sequence numbers, windows and options of TCP segments, too, for a job with --tcp-windows; some 16 bytes a TCP header before compression. Frames have them without this option.")
    private boolean windows;

    @Mixin private InterfacesOption interfaces = new InterfacesOption();

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() {
        if (windows && format != PacketExporter.Format.BLOCKS) {
            throw new UsageException(
                    "--tcp-windows goes with --format blocks: a record has no place for sequence numbers, and a frame has them by itself");
        }
        PacketExporter.Options options = export.toOptions(format).readingSegments(windows);
        if (interfaces.isGiven()) {
            if (format == PacketExporter.Format.FRAMES) {
                throw new UsageException(
                        "--interfaces does not go with --format frames: a frame has no place for them; use blocks or records");
            }
            InterfaceMap named = interfaces.read();
            AskedFacts listed = AskedFacts.listed(named.names());
            options =
                    options.telling(
                            new CapturedFacts(
                                    listed, named, null, options.inPort(), options.parsing()));
        }
        List<Path> files = captures.files;
        PacketExporter.requireCaptures(files);
        if (format == PacketExporter.Format.FRAMES) {
            PacketExporter.requireEthernet(files);
        }
        try (KafkaAccess access = creation.connect(topics, 2, null, List.of())) {
            access.requireTopics(
                    AclOperation.WRITE, topics.names().packets(), topics.names().deadLetters());
        }
        CaptureExport sent;
        try (Interruption interruption = new Interruption();
                MessageProducer producer = new MessageProducer(topics.kafka());
                Progress progress = new Progress(err(), "exporting")) {
            reading = true;
            sent =
                    new CaptureExport(
                            files,
                            producer,
                            topics.names(),
                            options,
                            interruption::check,
                            progress,
                            err());
            sent.run();
        }
        if (sent.shutTunnels().sum() > 0) {
            say(sent.shutTunnels().describe());
        }
        out().println(json.isGiven() ? sent.json() : sent.describe());
        return sent.isClean() ? 0 : 1;
    }

    @Override
    public String whereItStands() {
        return reading ? ITSELF : "nothing was read";
    }
}
