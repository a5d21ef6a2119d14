package dev.sluice.policy.cloud;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.cloud.AwsNetwork.Entry;
import dev.sluice.policy.cloud.AwsNetwork.Listed;
import dev.sluice.policy.cloud.AwsNetwork.Peer;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.yaml.AddressSet;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import org.jspecify.annotations.Nullable;

/** Parts of the entries of security groups and ACLs that all outputs write alike. */
final class AwsEntries {
    private final RuleReading in;
    private final boolean skips;

    AwsEntries(RuleReading in, boolean skips) {
        this.in = in;
        this.skips = skips;
    }

    /** A part of a text that may be refused. */
    interface Part {
        /** Reads it. */
        void read() throws YamlException;
    }

    /**
     * Reads an entry; one that is not understood is unknown where a user skips such.
     *
     * @param number its place in an ACL
     */
    void add(YamlFields of, Part part, Listed list, boolean out, int number) throws YamlException {
        try {
            part.read();
        } catch (YamlException e) {
            if (!skips) {
                in.defect(e.file(), e.line(), e.defect());
                return;
            }
            String words = "skipped: " + e.getMessage();
            in.warn(e.file(), e.line(), words);
            CloudTraffic unknown = new CloudTraffic(new Condition.Unknown(words), of.words());
            for (boolean permits : new boolean[] {true, false}) {
                if (permits || number > 0) {
                    list.entries()
                            .add(new Entry(of.at(), out, number, permits, unknown, Peer.ANY, ""));
                }
            }
        }
    }

    /** A block of addresses as the other end. */
    static Peer peer(YamlNode block) throws YamlException {
        return new Peer(AddressSet.addressOrBlock(block), "", CloudText.word(block));
    }

    /**
     * Protocol and ports, as groups and ACLs of Terraform state them: of ICMP type and code stand
     * in the place of ports.
     */
    static CloudTraffic traffic(YamlNode protocol, @Nullable Integer from, @Nullable Integer to)
            throws YamlException {
        String word = CloudText.word(protocol);
        if (word.equals("-1") || word.equals("all")) {
            return CloudTraffic.ALL;
        }
        int number = CloudTraffic.protocol(protocol);
        if (CloudTraffic.isIcmp(number)) {
            return CloudTraffic.icmp(number, known(from), known(to));
        }
        if (!CloudTraffic.hasPorts(number) || number == 132 || known(from) == null) {
            return CloudTraffic.of(number);
        }
        int low = from == null ? 0 : from;
        int high = to == null ? low : to;
        if (high < low) {
            throw protocol.at().refused(low + "-" + high, "is no range of ports; swap them");
        }
        return CloudTraffic.to(number, low, high);
    }

    private static @Nullable Integer known(@Nullable Integer value) {
        return value == null || value < 0 ? null : value;
    }

    /** The word of an action. */
    static boolean permits(YamlNode action) throws YamlException {
        String word = CloudText.word(action);
        if (!word.equals("allow") && !word.equals("deny")) {
            throw action.at().refused(word, "is no action; write allow or deny");
        }
        return word.equals("allow");
    }
}
