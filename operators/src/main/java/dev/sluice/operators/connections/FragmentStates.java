package dev.sluice.operators.connections;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * States of the last {@value #MOST} datagrams whose first fragment was seen, which their later
 * fragments have, too. Not thread-safe.
 */
final class FragmentStates {
    private static final int MOST = 16_384;

    private final LinkedHashMap<IntBuffer, Integer> states =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<IntBuffer, Integer> eldest) {
                    return size() > MOST;
                }
            };

    /** Tells whether there are others than when {@link #toBytes} was called last. */
    private boolean changed;

    /** Takes the state of a first fragment. */
    void put(int[] header, int state) {
        changed = true;
        IntBuffer key = key(header);
        states.remove(key); // it is the newest now
        states.put(key, state);
    }

    /** The state of a later fragment. */
    int state(int[] header) {
        return states.getOrDefault(key(header), ConnectionTracker.UNKNOWN);
    }

    /** Addresses and identification, of IPv4 also the protocol (RFC 791, RFC 8200). */
    private static IntBuffer key(int[] header) {
        boolean six = Field.IP_VERSION.extract(header[HeaderWord.IP]) == Field.VERSION_6;
        int[] key = new int[six ? 9 : 4];
        key[0] = header[HeaderWord.IP_ID];
        if (six) {
            System.arraycopy(header, HeaderWord.IPV6_SRC, key, 1, 8);
        } else {
            key[1] = header[HeaderWord.IPV4_SRC];
            key[2] = header[HeaderWord.IPV4_DST];
            key[3] = Field.IP_PROTO.extract(header[HeaderWord.IP]);
        }
        return IntBuffer.wrap(key);
    }

    boolean isChanged() {
        return changed;
    }

    /**
     * The states as ints, the eldest first: for each the number of words of its key, these words,
     * and the state.
     */
    byte[] toBytes() {
        changed = false;
        int ints = states.keySet().stream().mapToInt(key -> key.remaining() + 2).sum();
        ByteBuffer bytes = ByteBuffer.allocate(ints * Integer.BYTES);
        states.forEach(
                (key, state) -> {
                    bytes.putInt(key.remaining());
                    for (int i = 0; i < key.remaining(); i++) {
                        bytes.putInt(key.get(i));
                    }
                    bytes.putInt(state);
                });
        return bytes.array();
    }

    /** Puts what {@link #toBytes} has told. */
    void restore(byte[] bytes) {
        IntBuffer from = ByteBuffer.wrap(bytes).asIntBuffer();
        while (from.hasRemaining()) {
            int[] key = new int[from.get()];
            from.get(key);
            states.put(IntBuffer.wrap(key), from.get());
        }
    }
}
