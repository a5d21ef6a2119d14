package dev.sluice.job.kafka;

import dev.sluice.job.capture.CaptureBatch.Facts;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.Captures;
import dev.sluice.job.capture.PacketParser;
import dev.sluice.job.capture.ParsedPacket;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.capture.ReadShare;
import dev.sluice.job.capture.ShutTunnels;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.InputFiles;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.PacketMessages;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FlowShard;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.util.function.BiConsumerWithException;
import org.jspecify.annotations.Nullable;

/**
 * Exporter of captures to Kafka.
 *
 * <p>It sends headers to the packets topic, keyed by flow shard, and packets that cannot be
 * classified to the dead-letter topic. Alternatively it sends raw frames. Memory: one block a
 * shard. Not thread-safe.
 */
public final class PacketExporter {
    private final MessageProducer producer;
    private final TopicNames topics;
    private final Options options;
    private final Listener listener;
    private final PacketParser parser;
    private final ParsedPacket packet = new ParsedPacket();
    private final @Nullable BlockBuilder[] builders;
    private final ShutTunnels shut = new ShutTunnels();

    /** Number of partitions of the packets topic; 0: not known yet. */
    private int partitions;

    /** Content of a message of the packets topic. */
    public enum Format {
        /** A block of many headers of one flow shard: fast. */
        BLOCKS,
        /** One header. */
        RECORDS,
        /**
         * A raw Ethernet frame as it was captured, with a {@link FrameKey}. Frames that cannot be
         * classified are sent too; the job makes dead letters of them. The flow shard determines
         * the partition.
         */
        FRAMES
    }

    /**
     * Options of an export.
     *
     * @param shards flow shards
     * @param by which packets share a shard
     * @param blockSize maximal number of headers of a block
     * @param format content of a message
     * @param parsing which header of a packet is sent; for frames, which one determines the
     *     partition
     * @param inPort ingress port of all packets; null: unknown
     * @param facts what captures tell beside headers, for one exporter; null: nothing
     */
    public record Options(
            int shards,
            FlowShard by,
            int blockSize,
            Format format,
            ParserOptions parsing,
            @Nullable Integer inPort,
            @Nullable Facts facts) {
        /** Greatest block size: a block of it with every column at its widest stays below 1 MiB. */
        public static final int MAX_BLOCK = 8192;

        /** Greatest number of flow shards. */
        public static final int MAX_SHARDS = 4096;

        /** Checks the numbers. */
        public Options {
            if (shards < 1 || shards > MAX_SHARDS || blockSize < 1 || blockSize > MAX_BLOCK) {
                throw new IllegalArgumentException(
                        "%d shards are not in 1..%d, or blocks of %d not in 1..%d"
                                .formatted(shards, MAX_SHARDS, blockSize, MAX_BLOCK));
            }
        }

        /** These options, with the fields that are asked for in some header words. */
        public Options reading(long words) {
            return new Options(
                    shards, by, blockSize, format, parsing.reading(words), inPort, facts);
        }

        /** These options, with the numbers of TCP segments if they are wanted. */
        public Options readingSegments(boolean wanted) {
            ParserOptions more = parsing.readingSegments(wanted);
            return new Options(shards, by, blockSize, format, more, inPort, facts);
        }

        /** These options, with what captures tell beside headers. */
        public Options telling(@Nullable Facts told) {
            return new Options(shards, by, blockSize, format, parsing, inPort, told);
        }
    }

    /** Listener that is called for every packet before its message is sent. */
    public interface Listener {
        /** Takes the present packet of a capture. */
        void packet(int captureIndex, CaptureReader packet) throws IOException;

        /** Announces that messages of packets passed to {@link #packet} are about to be sent. */
        default void beforeSend() throws IOException {}

        /** Listener that does nothing. */
        Listener NONE = (captureIndex, packet) -> {};
    }

    /** Creates an exporter. */
    public PacketExporter(
            MessageProducer producer, TopicNames topics, Options options, Listener listener) {
        this.producer = producer;
        this.topics = topics;
        this.options = options;
        this.parser = new PacketParser(options.parsing);
        this.listener = listener;
        this.builders = new BlockBuilder[options.shards];
    }

    /**
     * Opens every file and checks its first bytes, so that a fault is reported before anything is
     * sent. A pipe, which can be read only once, is skipped.
     *
     * @throws SluiceException naming the first file that does not exist, may not be read or is no
     *     capture
     */
    public static void requireCaptures(List<Path> files) {
        check(
                files,
                (file, capture) -> {
                    if (!capture.isCapture()) {
                        throw new SluiceException(
                                capture.end().describe("capture " + file) + "; leave it out");
                    }
                });
    }

    private static void check(
            List<Path> files, BiConsumerWithException<Path, CaptureReader, IOException> check) {
        for (Path file : files) {
            if (!InputFiles.isPipe(file)) {
                try (CaptureReader capture = Captures.open(file)) {
                    check.accept(file, capture);
                } catch (IOException e) {
                    throw new SluiceException(TextFiles.describe("capture", file, e), e);
                }
            }
        }
    }

    /**
     * Checks the first packet of every file but pipes.
     *
     * @throws SluiceException naming the first file that does not begin with an Ethernet frame
     */
    public static void requireEthernet(List<Path> files) {
        check(
                files,
                (file, capture) -> {
                    if (capture.next()) {
                        requireEthernet(file.toString(), capture);
                    }
                });
    }

    private static void requireEthernet(String name, CaptureReader capture) {
        if (!PacketParser.isEthernet(capture.linkType())) {
            throw new SluiceException(
                    "packet %d of capture %s has link type %d, not 1 (Ethernet), and a frame in Kafka does not tell its link type; export it with --format blocks or records"
                            .formatted(capture.packet(), name, capture.linkType()));
        }
    }

    /**
     * Exports a capture.
     *
     * @param captureIndex its position in this export
     * @param share counts the bytes read
     * @return how it ended; every packet before its end was sent
     * @throws SluiceException if the file cannot be read, with the {@link IOException} as its
     *     cause, after every packet before the failure was sent; or if a message cannot be sent
     */
    public CaptureEnd export(Path file, int captureIndex, ReadShare share) {
        String name = file.toString();
        try (CaptureReader capture = Captures.open(file, share)) {
            try {
                while (capture.next()) {
                    listener.packet(captureIndex, capture);
                    parser.parse(capture, packet);
                    shut.add(packet.shut());
                    if (options.format == Format.FRAMES) {
                        frame(name, capture);
                    } else if (packet.status().isClassified()) {
                        header(name, captureIndex, capture);
                    } else {
                        deadLetter(name, captureIndex, capture);
                    }
                }
            } catch (IOException e) {
                sendRest(name, captureIndex);
                throw e;
            }
            sendRest(name, captureIndex);
            return capture.end();
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("capture", file, e), e);
        }
    }

    /** Returns the packets whose tunnel was not decapsulated. */
    public ShutTunnels shutTunnels() {
        return shut;
    }

    private void sendRest(String name, int captureIndex) throws IOException {
        for (BlockBuilder builder : builders) {
            if (builder != null && !builder.isEmpty()) {
                send(builder, name, captureIndex);
            }
        }
    }

    private void frame(String name, CaptureReader capture) throws IOException {
        requireEthernet(name, capture);
        if (partitions == 0) {
            partitions = producer.open(topics.packets());
        }
        int at = capture.dataAt();
        byte[] bytes = Arrays.copyOfRange(capture.bytes(), at, at + capture.capturedLength());
        listener.beforeSend();
        producer.send(
                topics.packets(),
                options.by.of(packet.words(), partitions),
                FrameKey.of(capture.clampedTimeNs()),
                bytes);
    }

    private void header(String name, int captureIndex, CaptureReader capture) throws IOException {
        int[] words = packet.words();
        if (options.inPort != null) {
            Field.IN_PORT.put(words, options.inPort);
        }
        if (options.facts != null) {
            options.facts.put(capture, packet);
        }
        int shard = options.by.of(words, options.shards);
        int length = capture.frameLength();
        if (options.format == Format.RECORDS) {
            listener.beforeSend();
            producer.send(
                    topics.packets(),
                    key(shard),
                    PacketMessages.encodeHeader(
                            name,
                            captureIndex,
                            capture.packet(),
                            capture.clampedTimeNs(),
                            length,
                            words));
            return;
        }
        BlockBuilder builder = builders[shard];
        if (builder == null) {
            builder = new BlockBuilder(shard, options.shards, options.blockSize);
            builders[shard] = builder;
        }
        if (builder.add(words, capture.packet(), capture.clampedTimeNs(), length)) {
            send(builder, name, captureIndex);
        }
    }

    private void send(BlockBuilder builder, String name, int captureIndex) throws IOException {
        listener.beforeSend();
        var block = builder.take(name, captureIndex);
        producer.send(topics.packets(), key(block.shard()), block.encode());
    }

    private void deadLetter(String name, int captureIndex, CaptureReader capture)
            throws IOException {
        String reason = packet.status().reason(capture.linkType());
        String detail =
                "%d bytes captured of %d, link type %d"
                        .formatted(
                                capture.capturedLength(), capture.wireLength(), capture.linkType());
        DeadLetter.Packet where =
                new DeadLetter.Packet(
                        name, captureIndex, capture.packet(), capture.clampedTimeNs());
        listener.beforeSend();
        producer.send(
                topics.deadLetters(), null, new DeadLetter(reason, detail, where, null).encode());
    }

    /**
     * Returns the Kafka key of a shard: both directions of a flow stay in one partition, in order.
     */
    public static byte[] key(int shard) {
        return ByteBuffer.allocate(4).putInt(shard).array();
    }
}
