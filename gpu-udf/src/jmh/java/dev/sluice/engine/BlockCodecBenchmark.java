package dev.sluice.engine;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketGlance;
import dev.sluice.schemas.codec.PacketMessages;
import dev.sluice.schemas.codec.PacketPlace;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.codec.VerdictBlockWriter;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The way of a block's bytes into the job and out of it: nanoseconds a header in blocks of 4,096
 * with the columns of an IPv4 trace; with {@code -prof gc}, bytes allocated a header.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@OperationsPerInvocation(BlockCodecBenchmark.HEADERS)
public class BlockCodecBenchmark {
    static final int HEADERS = 4096;

    /** Rules of which one or the other matches each header. */
    private static final int RULES = 300;

    private final int[] indexes = new int[HEADERS];
    private final PacketGlance glance = new PacketGlance();
    private final VerdictBlockWriter writer = new VerdictBlockWriter();
    private byte[] packets = {};
    private byte[] verdicts = {};
    private byte[] deltas = {};
    private byte[] named = {};
    private final PacketPlace place = new PacketPlace("sluice-packets", 3, 123_456_789);
    private long[] rules = {};
    private Column numbers = Column.constant(Column.PACKET, 0);
    private Column times = Column.constant(Column.TIME_NS, 0);

    /** Makes a block of packets and the verdicts on it. */
    @Setup
    public void prepare() throws MalformedMessageException {
        Random random = new Random(1);
        int[][] words = new int[4][HEADERS];
        long[] packet = new long[HEADERS];
        long[] time = new long[HEADERS];
        for (int i = 0; i < HEADERS; i++) {
            words[0][i] = random.nextInt();
            words[1][i] = random.nextInt();
            words[2][i] = random.nextInt();
            words[3][i] =
                    Field.IP_VERSION.place(Field.VERSION_4)
                            | Field.IP_PROTO.place(random.nextBoolean() ? 6 : 17)
                            | Field.PORTS_PRESENT.place(1);
            packet[i] = 1_000_000 + i;
            time[i] = 1_700_000_000_000_000_000L + 1_000L * i;
            indexes[i] = random.nextInt(RULES + 1);
        }
        PacketBlock block =
                new PacketBlock(
                        "bench",
                        0,
                        3,
                        64,
                        HEADERS,
                        List.of(
                                Column.ofWords(HeaderWord.IPV4_SRC, words[0], 0, HEADERS),
                                Column.ofWords(HeaderWord.IPV4_DST, words[1], 0, HEADERS),
                                Column.ofWords(HeaderWord.PORTS, words[2], 0, HEADERS),
                                Column.ofWords(HeaderWord.IP, words[3], 0, HEADERS),
                                Column.constant(HeaderWord.ETHER, 0x0800),
                                Column.ofLongs(Column.PACKET, packet, 0, HEADERS),
                                Column.ofLongs(Column.TIME_NS, time, 0, HEADERS),
                                Column.constant(Column.FRAME_LENGTH, 64)));
        packets = block.encode();
        rules = random.longs(RULES, 1, 100_000).toArray();
        block = PacketMessages.decode(packets, 64);
        for (Column column : block.columns()) {
            numbers = column.id() == Column.PACKET ? column : numbers;
            times = column.id() == Column.TIME_NS ? column : times;
        }
        verdicts = encodeVerdicts();
        deltas = encodeDeltas();
        named = encodeNamed();
        System.out.printf(
                "bytes a header: copied %.2f, deltas %.2f, named %.2f%n",
                (double) verdicts.length / HEADERS,
                (double) deltas.length / HEADERS,
                (double) named.length / HEADERS);
    }

    /** What a source does. */
    @Benchmark
    public int glance() throws MalformedMessageException {
        return glance.shard(packets, 0, packets.length);
    }

    /** What the classify operator does before it fills a batch. */
    @Benchmark
    public PacketBlock decodePackets() throws MalformedMessageException {
        return PacketMessages.decode(packets, 64);
    }

    /** What its worker does when a block's verdicts are there. */
    @Benchmark
    public byte[] encodeVerdicts() {
        writer.of("bench", 0, 3, HEADERS).judgedBy(7, "c3a6f1e09b7d4d2a");
        writer.rules(rules, RULES, List.of()).column(numbers).column(times);
        return writer.ruleIndexes(indexes, 0).message();
    }

    /** The same, with packet numbers and times as differences. */
    @Benchmark
    public byte[] encodeDeltas() {
        writer.of("bench", 0, 3, HEADERS).judgedBy(7, "c3a6f1e09b7d4d2a");
        writer.rules(rules, RULES, List.of()).deltasIfThere(numbers).deltasIfThere(times);
        return writer.ruleIndexes(indexes, 0).message();
    }

    /** The same, where the block names its packets. */
    @Benchmark
    public byte[] encodeNamed() {
        writer.of("bench", 0, 3, HEADERS).judgedBy(7, "c3a6f1e09b7d4d2a");
        writer.rules(rules, RULES, List.of()).at(place);
        return writer.ruleIndexes(indexes, 0).message();
    }

    /** What a source does besides where verdicts are to name their packets. */
    @Benchmark
    public List<ByteBuffer> place() {
        return PacketMessages.placed(ByteBuffer.wrap(packets), place);
    }

    /** What a reader of verdicts does whose packet numbers and times are differences. */
    @Benchmark
    public VerdictBlock decodeDeltas() throws MalformedMessageException {
        return VerdictBlock.decode(deltas);
    }

    /** What a reader of verdicts does that name their packets, when it has these. */
    @Benchmark
    public VerdictBlock decodeNamed() throws MalformedMessageException {
        return VerdictBlock.decode(named).with(PacketMessages.decode(packets, 64));
    }

    /** What a reader of verdicts does. */
    @Benchmark
    public VerdictBlock decodeVerdicts() throws MalformedMessageException {
        return VerdictBlock.decode(verdicts);
    }
}
