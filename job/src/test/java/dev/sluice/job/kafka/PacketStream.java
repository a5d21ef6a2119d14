package dev.sluice.job.kafka;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends blocks of packets that are numbered from 1 on, over all flow shards in turn. Thread-safe.
 */
final class PacketStream {
    /** Packets of a block. */
    static final int COUNT = 250;

    /** Flow shards, unless others are asked for. */
    static final int SHARDS = 64;

    private static final int[] WORDS = {HeaderWord.ETHER, HeaderWord.IP, HeaderWord.PORTS};

    private final MessageProducer producer;
    private final String topic;
    private final int shards;
    private int blocks;
    private int sent;

    PacketStream(MessageProducer producer, String topic) {
        this(producer, topic, SHARDS);
    }

    PacketStream(MessageProducer producer, String topic, int shards) {
        this.producer = producer;
        this.topic = topic;
        this.shards = shards;
    }

    /** Sends so many blocks. */
    synchronized void send(int howMany) {
        for (int b = 0; b < howMany; b++) {
            int shard = blocks++ % shards;
            PacketBlock block = block(shard, shards, sent + 1L, COUNT);
            producer.send(topic, PacketExporter.key(shard), block.encode());
            sent += COUNT;
        }
    }

    /** Packets sent: also the number of the last. */
    synchronized int sent() {
        return sent;
    }

    /** The header of a packet: TCP over IPv4, to a port that follows from its number. */
    static int[] header(long packet) {
        int[] header = new int[HeaderWord.COUNT];
        header[HeaderWord.ETHER] = Field.ETH_TYPE.place(0x0800);
        header[HeaderWord.IP] =
                Field.IP_VERSION.place(Field.VERSION_4)
                        | Field.IP_PROTO.place(6)
                        | Field.PORTS_PRESENT.place(1);
        header[HeaderWord.PORTS] = (int) (packet % 60_000);
        return header;
    }

    /** A block of packets that are numbered in a row. */
    static PacketBlock block(int shard, long first, int count) {
        return block(shard, SHARDS, first, count);
    }

    private static PacketBlock block(int shard, int shards, long first, int count) {
        long[] packets = new long[count];
        int[][] words = new int[WORDS.length][count];
        for (int i = 0; i < count; i++) {
            packets[i] = first + i;
            int[] header = header(first + i);
            for (int w = 0; w < WORDS.length; w++) {
                words[w][i] = header[WORDS[w]];
            }
        }
        List<Column> columns = new ArrayList<>();
        for (int w = 0; w < WORDS.length; w++) {
            columns.add(Column.ofWords(WORDS[w], words[w], 0, count));
        }
        columns.add(Column.ofLongs(Column.PACKET, packets, 0, count));
        return new PacketBlock("made", 0, shard, shards, count, columns);
    }
}
