package dev.sluice.policy.kernel;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Packets at the corners of the boxes that the importer made of a dump, and beside them. */
final class DumpPackets {
    private static final Map<Field, ProbeField> FIELDS =
            Map.of(
                    Field.IP_PROTO, ProbeField.PROTOCOL,
                    Field.TOS, ProbeField.TOS,
                    Field.TTL, ProbeField.TTL,
                    Field.TCP_FLAGS, ProbeField.TCP_FLAGS,
                    Field.MARK, ProbeField.MARK);

    private final int version;
    private final List<Match> boxes = new ArrayList<>();
    private final Random random;
    private final ValuePool pool;

    DumpPackets(int version, FlatPolicy policy, Random random) {
        this.version = version;
        this.random = random;
        this.pool = new ValuePool(version, random);
        policy.lists().forEach(list -> list.forEach(rule -> boxes.add(rule.match())));
    }

    /** A packet that a box holds, or that misses it in a field. */
    ProbePacket draw(ProbeHook hook, int in, int out) {
        ProbePacket packet = new ProbePacket(version, hook);
        packet.set(ProbeField.SOURCE, pool.freshAddress());
        packet.set(ProbeField.DESTINATION, pool.freshAddress());
        if (random.nextInt(8) == 0) { // an address of the host, or beside one
            BigInteger own = pool.hostAddress(random.nextInt(3));
            BigInteger low = BigInteger.valueOf(random.nextInt(3) == 0 ? random.nextInt(256) : 254);
            packet.set(
                    random.nextBoolean() ? ProbeField.SOURCE : ProbeField.DESTINATION,
                    own.xor(version == 4 ? low : BigInteger.valueOf(random.nextInt(2))));
        }
        packet.set(ProbeField.AUTHENTICATION, version == 6 && random.nextInt(12) == 0 ? 1 : 0);
        int icmp = version == 4 ? ProbePacket.ICMP : ProbePacket.ICMP6;
        packet.set(ProbeField.PROTOCOL, pool.one(List.of(6, 17, icmp, 50)));
        packet.set(ProbeField.SOURCE_PORT, pool.port());
        packet.set(ProbeField.DESTINATION_PORT, pool.port());
        packet.set(ProbeField.TCP_FLAGS, pool.one(List.of(2, 2, 2, 16, 24, 18, 17, 4, 0, 41, 63)));
        packet.set(
                ProbeField.ICMP_TYPE,
                random.nextInt(3) == 0
                        ? random.nextInt(256)
                        : pool.one(
                                List.of(0, 3, 5, 8, 11, 128, 129, 133, 135, 143, 151, 152, 153)));
        packet.set(ProbeField.LENGTH, 100 + random.nextInt(3) * 600);
        int boxes = 1 + random.nextInt(2);
        for (int i = 0; i < boxes; i++) {
            aim(packet, pool.one(this.boxes));
        }
        packet.set(ProbeField.IN, in).set(ProbeField.OUT, out).set(ProbeField.MARK, 0);
        return AimedPackets.mended(packet, pool, true);
    }

    private void aim(ProbePacket packet, Match box) {
        Field source = version == 4 ? Field.IPV4_SRC : Field.IPV6_SRC;
        Field destination = version == 4 ? Field.IPV4_DST : Field.IPV6_DST;
        address(packet, box, source, ProbeField.SOURCE);
        address(packet, box, destination, ProbeField.DESTINATION);
        FIELDS.forEach((field, to) -> bits(packet, box, field, to));
        boolean icmp = packet.number(ProbeField.PROTOCOL) == (version == 4 ? 1 : 58);
        port(packet, box, Field.SRC_PORT, icmp ? ProbeField.ICMP_TYPE : ProbeField.SOURCE_PORT);
        port(
                packet,
                box,
                Field.DST_PORT,
                icmp ? ProbeField.ICMP_CODE : ProbeField.DESTINATION_PORT);
        if (box.mask(Field.FRAGMENT.word()) != 0 && random.nextInt(4) == 0) {
            int bits = Field.FRAGMENT.extract(box.value(Field.FRAGMENT.word()));
            packet.set(ProbeField.FRAGMENT, bits == 0 ? 0 : 1);
            packet.set(ProbeField.FRAGMENT_OFFSET, bits > 1 ? 16 : 0);
        }
    }

    private void address(ProbePacket packet, Match box, Field field, ProbeField to) {
        BigInteger value = BigInteger.ZERO;
        BigInteger mask = BigInteger.ZERO;
        for (int i = 0; i < field.words(); i++) {
            int word = field.word() + i;
            value = value.shiftLeft(32).or(BigInteger.valueOf(box.value(word) & 0xffffffffL));
            mask = mask.shiftLeft(32).or(BigInteger.valueOf(box.mask(word) & 0xffffffffL));
        }
        if (mask.signum() != 0) {
            Formula.bits(to, value, mask).aim(packet, random.nextInt(5) > 0, random);
        }
    }

    private void bits(ProbePacket packet, Match box, Field field, ProbeField to) {
        int mask = field.extract(box.mask(field.word()));
        long most = (1L << to.bits(version)) - 1;
        if ((mask & most) != 0) {
            long value = field.extract(box.value(field.word()));
            boolean hold = random.nextInt(8) > 0;
            Formula.bits(to, value & most, mask & most).aim(packet, hold, random);
        }
    }

    private void port(ProbePacket packet, Match box, Field field, ProbeField to) {
        int range = field.equals(Field.SRC_PORT) ? box.srcPorts() : box.dstPorts();
        int value = field.extract(box.value(field.word()));
        int mask = field.extract(box.mask(field.word()));
        int low = Math.max(range >>> Match.RANGE_LOW_SHIFT, value);
        int high = Math.min(range & Match.RANGE_HIGH, value | ~mask & Match.RANGE_HIGH);
        int most = (1 << to.bits(version)) - 1;
        if ((low > 0 || high < Match.RANGE_HIGH) && low <= most) {
            boolean hold = random.nextInt(5) > 0;
            Formula.range(to, low, Math.min(high, most)).aim(packet, hold, random);
        }
    }
}
