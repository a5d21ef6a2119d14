package dev.sluice.policy.kernel;

import dev.sluice.policy.kernel.KernelAnswer.Step;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Namespace whose kernel forwards packets and tells the connection state of each, of fragments once
 * their datagram is whole. Packets leave by a second device, so that their connections are
 * confirmed; with a TTL of {@link #DROPPED_TTL} they are dropped before.
 *
 * <p>Not thread-safe.
 */
public final class ConnectionKernel implements AutoCloseable {
    /** The TTL or hop limit of packets that the rules drop, which see one less. */
    public static final int DROPPED_TTL = 33;

    /** Ethernet address of the device that frames arrive at. */
    public static final long MAC = 0x020000000001L;

    /**
     * IPv4 identification, or lowest 16 bits of the IPv6 flow label, of packets that leave by the
     * second device.
     */
    public static final int FORWARDED = 2 << 12;

    private static final String PREFIX = "is_";

    private static final String RULES =
            """
            table inet seen {
              chain is_new { counter
              }
              chain is_established { counter
              }
              chain is_established_reply { counter
              }
              chain is_related { counter
              }
              chain is_related_reply { counter
              }
              chain is_invalid { counter
              }
              chain is_untracked { counter
              }
              chain forward { type filter hook forward priority 0
                ct state new jump is_new
                ct state established ct direction original jump is_established
                ct state established ct direction reply jump is_established_reply
                ct state related ct direction original jump is_related
                ct state related ct direction reply jump is_related_reply
                ct state invalid jump is_invalid
                ct state untracked jump is_untracked
                ip ttl 32 drop
                ip6 hoplimit 32 drop
              }
            }
            """;

    private static final String LEAVE =
            """
            ip link set eth1 arp off
            nft flush chain inet sluice sent
            nft flush chain inet sluice delivered
            echo 4194304 >/proc/sys/net/ipv4/ipfrag_high_thresh
            echo 4194304 >/proc/sys/net/netfilter/nf_conntrack_frag6_high_thresh
            """;

    private final KernelNamespace namespace;
    private final String policy;

    /** Lines of the policy by table, chain and number of the rule; 0: the chain's end. */
    private final Map<String, Integer> lines;

    private ConnectionKernel(KernelNamespace namespace, String policy, Map<String, Integer> lines) {
        this.namespace = namespace;
        this.policy = policy;
        this.lines = lines;
    }

    /**
     * Makes a namespace, and skips the test where none can be made.
     *
     * @param settings lines as {@code nf_conntrack_udp_timeout=1}
     */
    public static ConnectionKernel open(List<String> settings) throws Exception {
        return ofRuleset(settings, RULES);
    }

    /** The same, whose kernel judges by a ruleset of nftables. */
    public static ConnectionKernel ofRuleset(List<String> settings, String ruleset)
            throws Exception {
        KernelNamespace namespace = namespace(settings);
        NftDump dump =
                namespace
                        .loadRuleset(ruleset)
                        .orElseThrow(() -> new IllegalStateException("nft refuses the rules"));
        Map<String, Integer> lines = new HashMap<>();
        dump.ends().forEach((chain, line) -> lines.put(chain + "/0", line));
        return new ConnectionKernel(namespace, dump.text(), lines);
    }

    /** The same, whose kernel judges IPv4 packets as {@code iptables-save} prints it. */
    public static ConnectionKernel ofSave(List<String> settings, String save) throws Exception {
        KernelNamespace namespace = namespace(settings);
        namespace.load(4, save);
        Map<String, Integer> lines = new HashMap<>();
        Map<String, Integer> counts = new HashMap<>();
        String table = "";
        int at = 0;
        for (String line : save.lines().toList()) {
            at++;
            String[] words = line.split(" ");
            if (line.startsWith("*")) {
                table = line.substring(1);
            } else if (line.startsWith(":")) {
                lines.put(table + "/" + words[0].substring(1) + "/0", at);
            } else if (line.startsWith("-A")) {
                String chain = table + "/" + words[1];
                lines.put(chain + "/" + counts.merge(chain, 1, Integer::sum), at);
            }
        }
        return new ConnectionKernel(namespace, save, lines);
    }

    private static KernelNamespace namespace(List<String> settings) throws Exception {
        KernelNamespace namespace = KernelNamespace.open(Backend.NFT, List.of("eth0", "eth1"));
        StringBuilder commands = new StringBuilder(LEAVE);
        for (String setting : settings) {
            String[] parts = setting.split("=");
            commands.append("echo %s >/proc/sys/net/netfilter/%s\n".formatted(parts[1], parts[0]));
        }
        namespace.run(commands.toString(), List.of("sh", "-e"));
        return namespace;
    }

    /** The policy, as the kernel prints it. */
    public String policy() {
        return policy;
    }

    /**
     * Sends frames, in order.
     *
     * @return the line of the policy that decides about each; 0 where none does
     */
    public List<Integer> lines(List<byte[]> frames) throws IOException {
        return namespace.judgeFrames(0, frames).stream().map(this::line).toList();
    }

    private int line(KernelAnswer answer) {
        if (answer.steps().isEmpty()) {
            return 0;
        }
        Step last = answer.steps().get(answer.steps().size() - 1);
        return lines.getOrDefault(last.where() + "/" + last.rule(), last.rule());
    }

    /**
     * Sends frames, in order.
     *
     * @return the state of each: new, established, established_reply, related, related_reply,
     *     invalid, untracked, or none where the packet did not come to the rules
     */
    public List<String> states(List<byte[]> frames) throws IOException {
        return namespace.judgeFrames(0, frames).stream().map(ConnectionKernel::state).toList();
    }

    private static String state(KernelAnswer answer) {
        return answer.steps().stream()
                .map(Step::chain)
                .filter(chain -> chain.startsWith(PREFIX))
                .map(chain -> chain.substring(PREFIX.length()))
                .findFirst()
                .orElse("none");
    }

    @Override
    public void close() throws Exception {
        namespace.close();
    }
}
