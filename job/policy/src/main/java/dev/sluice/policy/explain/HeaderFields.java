package dev.sluice.policy.explain;

import dev.sluice.policy.NetworkNames;
import dev.sluice.policy.model.HeaderValues;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;
import java.math.BigInteger;
import java.util.List;

/** Values of fields in headers, and headers in which a field has another value. */
final class HeaderFields {
    static final int TCP = 6;
    static final int ICMP = 1;
    static final int ICMP6 = 58;
    static final int SYN = 2;
    static final int ACK = 0x10;
    static final int USUAL_SOURCE_PORT = 50_000;
    static final int USUAL_TTL = 64;
    static final int USUAL_LENGTH = 60;
    private static final int MAC_BITS = 48;
    private static final int ECHO = 8;
    private static final int ECHO_6 = 128;

    /** Fields that other fields hang on, in the order in which they are set. */
    private static final List<Field> FIRST =
            List.of(Field.IP_VERSION, Field.IP_PROTO, Field.FRAGMENT, Field.PORTS_PRESENT);

    private HeaderFields() {}

    static int of(int[] header, Field field) {
        return field.extract(header[field.word()]);
    }

    static boolean isPresent(int[] header, Field field) {
        Field bit = field.present();
        return bit == null || of(header, bit) == 1;
    }

    /** Returns whether others hang on a field, so that it is set before them. */
    static int order(Field field) {
        int at = FIRST.indexOf(field);
        return at < 0 ? FIRST.size() : at;
    }

    /** Sets a field, and those that hang on it to what is usual. */
    static void set(int[] header, Field field, BigInteger value) {
        int[] before = header.clone();
        put(header, field, value);
        if (field.equals(Field.IP_VERSION)) {
            setVersion(header, value.intValue());
        }
        if (order(field) < FIRST.size()) {
            setTransport(header, before);
        }
    }

    /** Gives a header another one's value of a field, and whether it has the field. */
    static void copy(int[] from, int[] to, Field field) {
        put(to, field, HeaderValues.of(from, field));
        Field bit = field.present();
        if (bit != null) {
            bit.put(to, of(from, bit));
        }
    }

    /** Sets a field alone. */
    static void put(int[] header, Field field, BigInteger value) {
        if (field.bits() == MAC_BITS) {
            int[] mask = new int[HeaderWord.COUNT];
            FieldBits.orMac(mask, field, -1L >>> Long.SIZE - MAC_BITS);
            for (int word = 0; word < mask.length; word++) {
                header[word] &= ~mask[word];
            }
            FieldBits.orMac(header, field, value.longValue());
            field.markPresent(header);
        } else if (field.bits() > Integer.SIZE) {
            for (int i = 0; i < 4; i++) {
                header[field.word() + i] = value.shiftRight(Integer.SIZE * (3 - i)).intValue();
            }
            field.markPresent(header);
        } else {
            field.put(header, value.intValue());
        }
    }

    /** Makes a header one of a version, with usual addresses. */
    static void setVersion(int[] header, int version) {
        boolean v4 = version == Field.VERSION_4;
        boolean v6 = version == Field.VERSION_6;
        for (int word = HeaderWord.IPV6_SRC; word < HeaderWord.TUNNEL_ID; word++) {
            header[word] = 0;
        }
        header[HeaderWord.IPV4_SRC] = v4 ? 0x0a000001 : 0;
        header[HeaderWord.IPV4_DST] = v4 ? 0x0a000102 : 0;
        header[HeaderWord.IPV6_SRC] = v6 ? 0x20010db8 : 0;
        header[HeaderWord.IPV6_DST] = v6 ? 0x20010db8 : 0;
        header[HeaderWord.IPV6_SRC + 3] = v6 ? 1 : 0;
        header[HeaderWord.IPV6_DST + 3] = v6 ? 2 : 0;
        Field.ETH_TYPE.put(header, v6 ? 0x86dd : v4 ? 0x0800 : of(header, Field.ETH_TYPE));
        Field.IPV6_EXTENSIONS_PRESENT.put(header, v6 ? 1 : 0);
        for (Field field : List.of(Field.TTL, Field.IP_LENGTH)) {
            if ((v4 || v6) && !isPresent(header, field)) {
                field.put(header, field.equals(Field.TTL) ? USUAL_TTL : USUAL_LENGTH);
            }
        }
    }

    /** Gives a header the transport fields of its protocol, where these have changed. */
    private static void setTransport(int[] header, int[] before) {
        int protocol = of(header, Field.IP_PROTO);
        boolean later = of(header, Field.FRAGMENT) == Field.FRAGMENT_LATER;
        boolean icmp = isIcmp(header);
        boolean has = (NetworkNames.WITH_PORTS.contains(protocol) || icmp) && !later;
        boolean had = of(before, Field.PORTS_PRESENT) == 1;
        if (has && (!had || icmp != isIcmp(before))) {
            boolean v6 = of(header, Field.IP_VERSION) == Field.VERSION_6;
            Field.SRC_PORT.put(header, !icmp ? USUAL_SOURCE_PORT : v6 ? ECHO_6 : ECHO);
            Field.DST_PORT.put(header, 0);
        }
        Field.PORTS_PRESENT.put(header, has ? 1 : 0);
        if (!has) {
            header[HeaderWord.PORTS] = 0;
        }
        if (has && protocol == TCP && of(before, Field.IP_PROTO) != TCP) {
            Field.TCP_FLAGS.put(header, SYN);
        }
        if (!has || protocol != TCP) {
            Field.TCP_FLAGS.put(header, 0);
        }
    }

    /** Returns whether a header's ports are type and code. */
    static boolean isIcmp(int[] header) {
        boolean v6 = of(header, Field.IP_VERSION) == Field.VERSION_6;
        return of(header, Field.IP_PROTO) == (v6 ? ICMP6 : ICMP);
    }
}
