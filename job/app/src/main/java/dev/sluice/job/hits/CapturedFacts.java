package dev.sluice.job.hits;

import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.CaptureReader.Direction;
import dev.sluice.job.capture.ParsedPacket;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Host;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.io.Serializable;
import java.util.HashMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Interfaces and times of packets as their captures tell them: names in pcapng files, the kernel's
 * numbers in cooked captures and logs of netfilter, which the host's interfaces translate. Not
 * thread-safe.
 *
 * <p>A name counts as that of the policy's interface as long as nothing speaks against it: the
 * kernel's rules see the bridge or the bond that an interface belongs to, and the VLAN's own.
 */
public final class CapturedFacts implements CaptureBatch.Facts, Serializable {
    private static final long serialVersionUID = 1L;

    /** Names of what captures packets of several interfaces, and names of no interface. */
    private static final Pattern SEVERAL =
            Pattern.compile(
                    "any|-|sshdump|(nflog|nfqueue|usbmon)(:?[0-9]*)|.*[/\\\\\\s\\x00].*|.{16,}");

    private static final long NANOS_A_SECOND = 1_000_000_000L;

    private final AskedFacts asked;
    private final InterfaceMap given;
    private final @Nullable String inPort;
    private final boolean inner;
    private final TreeMap<Integer, String> ofIndex = new TreeMap<>();
    private final TreeMap<String, String> masters = new TreeMap<>();
    private final HashMap<String, Named> names = new HashMap<>();
    private @Nullable Named last;
    private long lastSecond = Long.MIN_VALUE;
    private int lastTimes;

    /**
     * Values of a name.
     *
     * @param several whether it is that of several interfaces, or of none
     * @param certain the value where packets came in, or leave, by it for certain
     */
    private record Named(String name, boolean several, int certain, int maybe)
            implements Serializable {}

    /**
     * A translator.
     *
     * @param asked names that the policy asks for
     * @param given the user's names
     * @param host the host that the policy is of; null: unknown
     * @param inPort ingress port of all packets; null: unknown
     * @param parsing which header of a packet is judged: that of a tunnel came in by another
     *     interface
     */
    public CapturedFacts(
            AskedFacts asked,
            InterfaceMap given,
            @Nullable Host host,
            @Nullable Integer inPort,
            ParserOptions parsing) {
        this.inner = parsing.isInner();
        this.asked = asked;
        this.given = given;
        this.inPort = inPort == null ? null : given.name(inPort.toString());
        if (host != null) {
            for (Host.Link link : host.links()) {
                ofIndex.put(link.index(), link.name());
                masters.put(link.name(), link.master());
            }
        }
    }

    @Override
    public void put(CaptureReader reader, ParsedPacket packet) {
        int[] words = packet.words();
        Field.IN_INTERFACE.put(words, in(reader, packet) | times(reader));
        Field.OUT_INTERFACE.put(words, out(reader, packet));
    }

    /** The bits of the packet's time; 0: it has none. */
    private int times(CaptureReader reader) {
        long time = reader.clampedTimeNs();
        if (time == Column.NO_TIME || asked.periods().isEmpty()) {
            return AskedFacts.NO_TIME.value();
        }
        long second = Math.floorDiv(time, NANOS_A_SECOND);
        if (second != lastSecond) {
            lastSecond = second;
            lastTimes = asked.bits(second);
        }
        return lastTimes;
    }

    /** All that decides about the values: the names that are asked for, the user's, the host's. */
    public String identity() {
        return "%s %s %s %s %s".formatted(asked, given, inPort, ofIndex, masters);
    }

    private int in(CaptureReader reader, ParsedPacket packet) {
        if (inPort != null) {
            return value(inPort, true);
        }
        if (inner) {
            return 0;
        }
        if (packet.inIndex() != 0) {
            return indexed(packet.inIndex(), packet);
        }
        Direction direction = direction(reader, packet);
        return direction == Direction.OUTGOING
                ? 0
                : captured(reader, packet, direction == Direction.INCOMING, true);
    }

    private int out(CaptureReader reader, ParsedPacket packet) {
        if (inner) {
            return 0;
        }
        if (packet.outIndex() != 0) {
            return indexed(packet.outIndex(), packet);
        }
        Direction direction = direction(reader, packet);
        return direction == Direction.INCOMING || packet.inIndex() != 0
                ? 0
                : captured(reader, packet, direction == Direction.OUTGOING, false);
    }

    private static Direction direction(CaptureReader reader, ParsedPacket packet) {
        return packet.direction() == Direction.UNSTATED ? reader.direction() : packet.direction();
    }

    /** The value of an interface by the kernel's number. */
    private int indexed(int index, ParsedPacket packet) {
        if (!given.isEmpty()) {
            String name = given.name(Integer.toUnsignedString(index));
            if (name != null) {
                return value(name, true);
            }
        }
        String name = ofIndex.get(index);
        return name == null || !isSeen(name, packet) ? 0 : value(name, true);
    }

    /**
     * The value of the interface that a packet was captured on.
     *
     * @param certain whether the packet came in, or leaves, by it
     * @param named whether it did where the user names the interface
     */
    private int captured(
            CaptureReader reader, ParsedPacket packet, boolean certain, boolean named) {
        String name = reader.interfaceName();
        if (!given.isEmpty()) {
            String other = name == null ? null : given.name(name);
            if (other == null && reader.isNumbered()) {
                other = given.name(Integer.toString(reader.interfaceId()));
            }
            if (other != null) {
                return value(other, certain || named);
            }
        }
        return name == null || named(name).several || !isSeen(name, packet)
                ? 0
                : value(name, certain);
    }

    private int value(String name, boolean certain) {
        Named named = named(name);
        return certain ? named.certain : named.maybe;
    }

    private Named named(String name) {
        Named named = last;
        if (named == null || !named.name.equals(name)) {
            named =
                    names.computeIfAbsent(
                            name,
                            one ->
                                    new Named(
                                            one,
                                            SEVERAL.matcher(one).matches(),
                                            asked.value(one, true),
                                            asked.value(one, false)));
            last = named;
        }
        return named;
    }

    /** Returns whether rules see a packet by the name of the interface that it was captured on. */
    private boolean isSeen(String name, ParsedPacket packet) {
        boolean tagged = Field.VLAN_PRESENT.extract(packet.words()[HeaderWord.ETHER]) != 0;
        return !tagged && masters.getOrDefault(name, "").isEmpty();
    }
}
