package dev.sluice.policy.kernel;

import dev.sluice.policy.kernel.GeneratedFirewall.Chain;
import dev.sluice.policy.kernel.GeneratedFirewall.Rule;
import dev.sluice.policy.kernel.GeneratedFirewall.Table;
import dev.sluice.policy.kernel.GeneratedFirewall.TargetKind;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Packets at the corners of a policy's rules, and beside them. */
final class AimedPackets {
    /** Protocols of which nf_conntrack knows a header that these packets do not have. */
    private static final List<Integer> TRACKED_BY_HEADER = List.of(132, 136);

    private static final int TRIES = 4;
    private static final int TELLING_TRIES = 60;

    private final GeneratedFirewall firewall;
    private final Random random;
    private final ValuePool pool;
    private final List<Aim> aims = new ArrayList<>();
    private final boolean tracks;

    /** Rule and the place from which packets reach it. */
    private record Aim(Table table, Chain chain, Rule rule) {}

    AimedPackets(GeneratedFirewall firewall, Random random) {
        this.firewall = firewall;
        this.random = random;
        this.pool = new ValuePool(firewall.version(), random);
        this.tracks = firewall.tracks();
        for (Table table : firewall.tables()) {
            for (Chain chain : table.chains()) {
                chain.rules().forEach(rule -> aims.add(new Aim(table, chain, rule)));
            }
        }
    }

    List<ProbePacket> draw(int count) {
        List<ProbePacket> packets = new ArrayList<>();
        while (packets.size() < count) {
            packets.add(draw());
        }
        return packets;
    }

    /** Draws packets, each the one of several that reaches what was reached least. */
    List<ProbePacket> draw(int count, FirewallCoverage coverage) {
        FirewallWalk walk = new FirewallWalk(firewall);
        List<ProbePacket> packets = new ArrayList<>();
        while (packets.size() < count) {
            ProbePacket best = draw();
            long least = coverage.rarest(firewall, walk.answer(best));
            for (int i = 1; i < TRIES; i++) {
                ProbePacket other = draw();
                long rarest = coverage.rarest(firewall, walk.answer(other));
                if (rarest < least) {
                    least = rarest;
                    best = other;
                }
            }
            packets.add(best);
        }
        return packets;
    }

    /** Draws packets to which another policy should give another answer than this one. */
    List<ProbePacket> telling(GeneratedFirewall other, int count) {
        FirewallWalk here = new FirewallWalk(firewall);
        FirewallWalk there = new FirewallWalk(other);
        List<ProbePacket> packets = new ArrayList<>();
        for (int i = 0; i < TELLING_TRIES && packets.size() < count; i++) {
            ProbePacket packet = draw().set(ProbeField.MARK, 0);
            if (!here.judge(packet).equals(there.judge(packet))) {
                packets.add(packet);
            }
        }
        return packets;
    }

    private ProbePacket draw() {
        return random.nextInt(8) == 0 ? mended(any()) : mended(aimed());
    }

    /** Draws fields from few values, so that rules match by chance. */
    ProbePacket any() {
        ProbeHook hook = ProbeHook.values()[random.nextInt(3)];
        ProbePacket packet = new ProbePacket(firewall.version(), hook);
        packet.set(ProbeField.SOURCE, pool.freshAddress());
        packet.set(ProbeField.DESTINATION, pool.freshAddress());
        packet.set(ProbeField.SOURCE_PORT, pool.port())
                .set(ProbeField.DESTINATION_PORT, pool.port());
        int icmp = firewall.version() == 4 ? ProbePacket.ICMP : ProbePacket.ICMP6;
        packet.set(
                ProbeField.PROTOCOL, pool.one(List.of(ProbePacket.TCP, ProbePacket.UDP, icmp, 50)));
        packet.set(ProbeField.IN, random.nextInt(ValuePool.DEVICES.size()));
        packet.set(ProbeField.OUT, random.nextInt(ValuePool.DEVICES.size()));
        packet.set(ProbeField.TCP_FLAGS, random.nextInt(3) == 0 ? random.nextInt(256) : 2);
        packet.set(ProbeField.MARK, random.nextInt(8));
        packet.set(ProbeField.SOURCE_MAC, 0x020000000100L | random.nextInt(4));
        if (firewall.version() == 6 && random.nextInt(16) == 0) {
            packet.set(ProbeField.AUTHENTICATION, 1);
        }
        if (random.nextInt(8) == 0) {
            packet.set(ProbeField.FRAGMENT, 1)
                    .set(ProbeField.FRAGMENT_OFFSET, random.nextInt(3) * 8);
            packet.set(ProbeField.MORE_FRAGMENTS, random.nextInt(2));
            packet.set(ProbeField.FRAGMENT_ID, random.nextInt(6));
        }
        return packet;
    }

    /**
     * Goes from a rule back to a base chain, and then asks of a packet what the rules on the way
     * ask.
     */
    private ProbePacket aimed() {
        Aim aim = aims.get(random.nextInt(aims.size()));
        List<GeneratedMatch> way = new ArrayList<>(aim.rule().matches());
        int own = way.size();
        Chain at = aim.chain();
        while (!at.isBase()) {
            Chain called = at;
            List<Aim> callers =
                    aims.stream()
                            .filter(a -> a.table() == aim.table() && calls(a.rule(), called.name()))
                            .toList();
            if (callers.isEmpty()) {
                return any(); // nobody calls the chain
            }
            Aim caller = callers.get(random.nextInt(callers.size()));
            way.addAll(caller.rule().matches());
            at = caller.chain();
        }
        String place = aim.table().name() + "/" + at.name();
        List<ProbeHook> hooks =
                List.of(ProbeHook.values()).stream()
                        .filter(hook -> hook.baseChains().contains(place))
                        .toList();
        ProbePacket packet = any().hook(hooks.get(random.nextInt(hooks.size())));
        for (int i = way.size() - 1; i >= 0; i--) {
            way.get(i).formula().aim(packet, true, random);
        }
        if (own > 0 && random.nextInt(3) == 0) {
            way.get(random.nextInt(own)).formula().aim(packet, false, random);
        }
        return packet;
    }

    private static boolean calls(Rule rule, String chain) {
        TargetKind kind = rule.target().kind();
        return (kind == TargetKind.JUMP || kind == TargetKind.GOTO)
                && rule.target().chain().equals(chain);
    }

    /** Makes the packet one that the kernel's routing lets through to the hook. */
    ProbePacket mended(ProbePacket packet) {
        return mended(packet, pool, tracks);
    }

    /** As {@link #mended(ProbePacket)}, of a policy that tracks connections or does not. */
    static ProbePacket mended(ProbePacket packet, ValuePool pool, boolean tracks) {
        boolean four = packet.version() == 4;
        packet.set(ProbeField.STATE, ConnectionStates.INVALID);
        packet.set(
                ProbeField.LENGTH, Math.max(100, Math.min(1400, packet.number(ProbeField.LENGTH))));
        packet.set(ProbeField.IN, packet.number(ProbeField.IN) % ValuePool.DEVICES.size());
        packet.set(ProbeField.OUT, packet.number(ProbeField.OUT) % ValuePool.DEVICES.size());
        packet.set(ProbeField.PACKET_TYPE, packet.number(ProbeField.PACKET_TYPE) % 3);
        BigInteger mac = packet.get(ProbeField.SOURCE_MAC);
        packet.set(ProbeField.SOURCE_MAC, mac.testBit(40) ? mac.flipBit(40) : mac);
        if (packet.number(ProbeField.FRAGMENT) == 1) {
            boolean first = packet.number(ProbeField.FRAGMENT_OFFSET) == 0;
            if (!first) {
                packet.set(ProbeField.AUTHENTICATION, 0); // it stands in the first one
            }
            if (packet.number(ProbeField.FRAGMENT_OFFSET) > 1000) {
                packet.set(ProbeField.FRAGMENT_OFFSET, 1000);
            }
            if (first) {
                packet.set(ProbeField.MORE_FRAGMENTS, 1);
            } else if (four && packet.number(ProbeField.FRAGMENT_OFFSET) == 1) {
                packet.set(ProbeField.FRAGMENT_OFFSET, 2); // iptables' tcp drops it for its offset
            }
        }
        int protocol = packet.number(ProbeField.PROTOCOL);
        boolean foreign = protocol == (four ? ProbePacket.ICMP6 : ProbePacket.ICMP);
        boolean usual = List.of(6, 17, 50, 103, four ? 1 : 58).contains(protocol);
        if (foreign || !usual && (tracks || !TRACKED_BY_HEADER.contains(protocol))) {
            packet.set(ProbeField.PROTOCOL, ProbePacket.UDP);
        }
        if (!isRoutable(packet, packet.get(ProbeField.SOURCE), true)) {
            packet.set(ProbeField.SOURCE, pool.freshAddress());
        }
        if (!isRoutable(packet, packet.get(ProbeField.DESTINATION), false)) {
            packet.set(ProbeField.DESTINATION, pool.freshAddress());
        }
        return packet;
    }

    private static boolean isRoutable(ProbePacket packet, BigInteger address, boolean source) {
        boolean sent = packet.hook() == ProbeHook.OUTPUT;
        if (packet.version() == 6) {
            int first = address.shiftRight(112).intValue();
            boolean own = sent && !source && first == 0xfd77;
            return first >= 0x100 && first < 0xfe00 && !own;
        }
        int first = address.shiftRight(24).intValue();
        boolean broadcast = first == 255 && address.bitCount() == 32;
        if (!source
                && packet.hook() == ProbeHook.INPUT
                && (broadcast || address.equals(ALL_HOSTS))) {
            return true;
        }
        boolean own = sent && !source && address.shiftRight(16).intValue() == (10 << 8 | 77);
        return first > 0 && first < 224 && first != 127 && !own;
    }

    private static final BigInteger ALL_HOSTS = BigInteger.valueOf(0xe0000001L);
}
