package dev.sluice.policy.cisco;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Judge that reads a list anew for each packet, line by line, as the devices' manuals say: bytes of
 * addresses under wildcards, and words from left to right.
 */
final class ListJudge {
    private static final Map<String, Integer> PROTOCOLS =
            Map.of("tcp", 6, "udp", 17, "icmp", 1, "esp", 50, "gre", 47);
    private static final Map<String, Integer> PORTS =
            Map.of("www", 80, "domain", 53, "telnet", 23, "bgp", 179);
    private static final Map<String, int[]> ICMP =
            Map.of(
                    "echo", new int[] {8, -1},
                    "echo-reply", new int[] {0, -1},
                    "port-unreachable", new int[] {3, 3},
                    "unreachable", new int[] {3, -1},
                    "ttl-exceeded", new int[] {11, 0});

    private final ListMistake mistake;
    private final ListPacket packet;
    private final boolean nexus;
    private String[] words = {};
    private int at;
    private boolean permit;

    ListJudge(ListMistake mistake, ListPacket packet, boolean nexus) {
        this.mistake = mistake;
        this.packet = packet;
        this.nexus = nexus;
    }

    /** Answer about a packet: the number of its line, from 1, or 0 for what stands in none. */
    record Answer(boolean permits, int line) {}

    Answer judge(List<String> lines) {
        List<Integer> order = new ArrayList<>();
        long[] numbers = new long[lines.size()];
        long last = 0;
        for (int i = 0; i < lines.size(); i++) {
            String first = lines.get(i).strip().split(" ")[0];
            if (first.matches("[0-9]+")) {
                numbers[i] = Long.parseLong(first);
                order.add(i);
            } else if (first.matches("permit|deny")) {
                numbers[i] = last + 10;
                order.add(i);
            }
            last = Math.max(last, numbers[i]);
        }
        if (mistake != ListMistake.ORDER_OF_LINES) {
            order.sort(Comparator.comparingLong(i -> numbers[i]));
        }
        for (int line : order) {
            words = lines.get(line).strip().split(" +");
            at = words[0].matches("[0-9]+") ? 1 : 0;
            if (!words[at].equals("remark") && fits()) {
                return new Answer(permit, line + 1);
            }
        }
        boolean discovery =
                packet.isV6()
                        && packet.protocol() == 58
                        && packet.sport() <= 136
                        && packet.sport() >= (nexus ? 133 : 135)
                        && !packet.isLater()
                        && mistake != ListMistake.NO_NEIGHBOUR_DISCOVERY;
        return new Answer(discovery || mistake == ListMistake.PERMIT_AT_THE_END, 0);
    }

    private boolean fits() {
        permit = words[at++].equals("permit");
        String protocol = words[at++];
        Integer number = PROTOCOLS.get(protocol);
        int wanted = number == null ? -1 : protocol.equals("icmp") && packet.isV6() ? 58 : number;
        boolean layer3 = wanted < 0 || wanted == packet.protocol();
        layer3 &= address(packet.from());
        Boolean ports = ports(packet.sport());
        layer3 &= address(packet.to());
        Boolean more = ports(packet.dport());
        boolean layer4 = !Boolean.FALSE.equals(ports) && !Boolean.FALSE.equals(more);
        boolean asks = ports != null || more != null;
        while (at < words.length) {
            String word = words[at++];
            int[] type = ICMP.get(word);
            if (type != null) {
                asks = true;
                int code = mistake == ListMistake.NAME_HAS_NO_CODE ? -1 : type[1];
                layer4 &= packet.sport() == type[0] && (code < 0 || packet.dport() == code);
            } else if (word.equals("established")) {
                asks = true;
                int bits = mistake == ListMistake.ESTABLISHED_IS_ACK ? 0x10 : 0x14;
                layer4 &= (packet.flags() & bits) != 0;
            } else if (word.equals("fragments")) {
                layer3 &= packet.isLater();
            }
        }
        if (asks && packet.isLater()) {
            return layer3
                    && (permit
                            ? mistake != ListMistake.PERMIT_WANTS_PORTS
                            : mistake == ListMistake.DENY_TAKES_LATER_FRAGMENTS);
        }
        return layer3 && (!asks || layer4);
    }

    private boolean address(String of) {
        String word = words[at++];
        if (word.equals("any")) {
            return true;
        }
        byte[] asked = ListPacket.bytes(of);
        if (word.equals("host")) {
            return Arrays.equals(asked, ListPacket.bytes(words[at++]));
        }
        int slash = word.indexOf('/');
        byte[] base = ListPacket.bytes(slash < 0 ? word : word.substring(0, slash));
        byte[] free = new byte[base.length];
        if (slash < 0) {
            free = ListPacket.bytes(words[at++]);
        } else {
            for (int bit = Integer.parseInt(word.substring(slash + 1));
                    bit < 8 * base.length;
                    bit++) {
                free[bit / 8] |= (byte) (0x80 >> bit % 8);
            }
        }
        boolean same = true;
        for (int i = 0; i < base.length; i++) {
            int counts =
                    slash < 0 && mistake == ListMistake.WILDCARD_IS_A_MASK ? free[i] : ~free[i];
            same &= ((base[i] ^ asked[i]) & counts & 0xff) == 0;
        }
        return same;
    }

    /** Tells whether a port fits the operator that comes next; null: none does. */
    private Boolean ports(int port) {
        String operator = at < words.length ? words[at] : "";
        if (!operator.matches("eq|neq|lt|gt|range")) {
            return null;
        }
        at++;
        int first = number();
        if (operator.equals("range")) {
            int last = number();
            return port >= first && port <= last;
        }
        boolean found = port == first;
        while (operator.endsWith("eq")
                && at < words.length
                && (PORTS.containsKey(words[at]) || words[at].matches("[0-9]+"))) {
            found |= port == number();
        }
        return switch (operator) {
            case "eq" -> found;
            case "neq" -> !found;
            case "lt" ->
                    port < first || port == first && mistake == ListMistake.LESS_INCLUDES_ITS_END;
            default -> port > first;
        };
    }

    private int number() {
        String word = words[at++];
        return PORTS.containsKey(word) ? PORTS.get(word) : Integer.parseInt(word);
    }
}
