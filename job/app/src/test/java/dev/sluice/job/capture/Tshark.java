package dev.sluice.job.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What tshark sees of a capture: the innermost IP header of each packet and what is around it. */
final class Tshark {
    private static final List<String> FIELDS =
            List.of(
                    "frame.protocols",
                    "ip.src",
                    "ip.dst",
                    "ipv6.src",
                    "ipv6.dst",
                    "eth.src",
                    "eth.dst",
                    "tcp.srcport",
                    "tcp.dstport",
                    "udp.srcport",
                    "udp.dstport",
                    "vxlan.vni",
                    "geneve.vni",
                    "gre.key",
                    "gre.flags.key",
                    "gtp.teid");

    /** Protocols that quote headers, or tunnels that are no part of the comparison. */
    private static final List<String> CLOSED = List.of("icmp", "icmpv6", "udpencap");

    private final String[] cells;
    private final List<String> protocols;

    private Tshark(String line) {
        cells = line.split("\t", -1);
        protocols = Arrays.asList(cells[0].split(":"));
    }

    /** Its packets. */
    static List<Tshark> read(Path capture) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("tshark", "-n", "-r", capture.toString()));
        CLOSED.forEach(name -> command.addAll(List.of("--disable-protocol", name)));
        command.addAll(List.of("-o", "ip.defragment:FALSE", "-o", "ipv6.defragment:FALSE"));
        command.addAll(List.of("-T", "fields", "-E", "occurrence=a"));
        FIELDS.forEach(field -> command.addAll(List.of("-e", field)));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String out =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        assertEquals(0, process.waitFor(), String.join(" ", command));
        return out.lines().map(Tshark::new).toList();
    }

    private List<String> all(String field) {
        String cell = cells[FIELDS.indexOf(field)];
        return cell.isEmpty() ? List.of() : Arrays.asList(cell.split(","));
    }

    private String last(String field) {
        List<String> values = all(field);
        return values.isEmpty() ? "" : values.get(values.size() - 1);
    }

    private int lastIp() {
        return Math.max(protocols.lastIndexOf("ip"), protocols.lastIndexOf("ipv6"));
    }

    boolean hasIp() {
        return lastIp() >= 0;
    }

    /** Whether the innermost header is one that a tunnel brought. */
    boolean hasTunnel() {
        long headers = protocols.stream().filter(p -> p.equals("ip") || p.equals("ipv6")).count();
        return headers > 1
                || hasIp() && (protocols.contains("mpls") || protocols.contains("pppoes"));
    }

    /** Whether it stopped at a UDP header without reading it, as tshark 4.0 does in jumbograms. */
    boolean gaveUp() {
        return protocols.get(protocols.size() - 1).equals("udp") && last("udp.srcport").isEmpty();
    }

    /** Source and destination of the innermost IP header. */
    String addresses() {
        String name = protocols.get(lastIp());
        return last(name + ".src") + " " + last(name + ".dst");
    }

    /** Source and destination of the Ethernet header around it; empty: not known. */
    String macs() {
        return protocols.lastIndexOf("eth") < lastIp()
                ? last("eth.src") + " " + last("eth.dst")
                : "";
    }

    /** Ports of the innermost IP header's TCP or UDP; empty where it has neither. */
    String ports() {
        List<String> inner = protocols.subList(lastIp(), protocols.size());
        String name = inner.contains("tcp") ? "tcp" : inner.contains("udp") ? "udp" : "";
        return name.isEmpty() ? "" : last(name + ".srcport") + " " + last(name + ".dstport");
    }

    /** Number of the innermost IP header's transport, of TCP and UDP. */
    String transport() {
        List<String> inner = protocols.subList(lastIp(), protocols.size());
        return inner.contains("tcp") ? "6" : inner.contains("udp") ? "17" : "";
    }

    /** Id of the innermost tunnel around the innermost IP header that has one; empty: none. */
    String tunnelId() {
        List<String> keyed = all("gre.flags.key");
        int keys = all("gre.key").size();
        int gre = keyed.size();
        for (int i = protocols.size() - 1; i >= 0; i--) {
            String name = protocols.get(i);
            boolean around = i < lastIp();
            if (name.equals("gre") && gre > 0) {
                String flag = keyed.get(--gre);
                // Where PPP is in it, the field is no key.
                boolean pptp = i + 1 < protocols.size() && protocols.get(i + 1).equals("ppp");
                if (!pptp && keys > 0 && (flag.equals("1") || flag.equals("True"))) {
                    keys--;
                    if (around) {
                        return number(all("gre.key").get(keys));
                    }
                }
            } else if (around && name.equals("vxlan")) {
                return number(nth("vxlan.vni", name, i));
            } else if (around && name.equals("geneve")) {
                return number(nth("geneve.vni", name, i));
            } else if (around && name.equals("gtp")) {
                return number(nth("gtp.teid", name, i));
            }
        }
        return "";
    }

    private String nth(String field, String protocol, int at) {
        long before = protocols.subList(0, at).stream().filter(protocol::equals).count();
        return all(field).get((int) before);
    }

    private static String number(String text) {
        return Long.toString(Long.decode(text));
    }

    @Override
    public String toString() {
        return String.join(" | ", cells);
    }
}
