package dev.sluice.policy;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Files that people take for rule files, told by their begin. */
final class ForeignRules {
    private static final String LIST = "list what Sluice reads by: sluice rules formats";
    private static final String DUMP = "dump the firewall by: iptables-save -c > host.save";

    /**
     * Kind of a file.
     *
     * @param sign what its begin contains
     * @param name the kind, in the users' words
     * @param remedy what to type next
     */
    private record Kind(Pattern sign, String name, String remedy) {
        Kind(String sign, String name, String remedy) {
            this(Pattern.compile(sign), name, remedy);
        }
    }

    /** The kinds; the first one of which the sign is found counts. */
    private static final List<Kind> KINDS =
            List.of(
                    new Kind("^%PDF-", "a PDF document", "name a text file of rules"),
                    new Kind("^(?i)\\s*<(!DOCTYPE html|html)", "a web page", LIST),
                    new Kind(
                            "^(\u00ff\u00fe|\u00fe\u00ff)",
                            "a text in UTF-16, as PowerShell writes it",
                            "make it UTF-8 by: iconv -f UTF-16 -t UTF-8"),
                    new Kind(
                            "[\\x00-\\x08\\x0e-\\x1a]",
                            "binary data",
                            "name a text file of rules; captures stand without --rules"),
                    new Kind(
                            "(?m)^\\s*(sudo +)?([\\w./]*/)?ip6?tables(-nft|-legacy)? +-",
                            "a script of iptables commands",
                            "run it, and " + DUMP),
                    new Kind(
                            "(?m)^Chain \\S+ \\((policy \\w+|\\d+ references)",
                            "the listing of iptables -L, which leaves conditions out",
                            DUMP),
                    new Kind(
                            "(?m)^(NAMESPACE +)?NAME +(READY|STATUS|TYPE|POD-SELECTOR) |^Name: +\\S+\\s+(Namespace|Priority|Labels): ",
                            "what kubectl prints for people",
                            "dump the cluster by: kubectl get pods,namespaces,nodes,services,networkpolicies -A -o yaml > cluster.yaml"),
                    new Kind("(?m)^Status: active\\s*$", "the output of ufw status", DUMP),
                    new Kind(
                            "(?m)^\\s*(services|rich rules|masquerade): ",
                            "the output of firewall-cmd",
                            "dump the firewall by: nft list ruleset > ruleset.nft"),
                    new Kind(
                            "(?m)^-P (INPUT|FORWARD|OUTPUT|PREROUTING|POSTROUTING) \\w+",
                            "the output of iptables -S, which leaves tables out",
                            DUMP),
                    new Kind(
                            "(?m)^create \\S+ (hash|bitmap|list):",
                            "the output of ipset save alone",
                            "put the rules behind it: (ipset save; iptables-save -c) > host.save"),
                    new Kind(
                            "(?m)^(alert|drop|pass|reject|log|activate) +\\S+ +\\S+ +\\S+ +(->|<>) +\\S+ +\\S+ *\\(",
                            "rules of Suricata or Snort, which search the payload of packets",
                            LIST),
                    new Kind(
                            "(?m)^(hostname \\S+|interface \\S*Ethernet\\S*)\\s*$",
                            "the configuration of a router without an access list",
                            LIST),
                    new Kind(
                            "(?m)^(set (firewall|security|system|interfaces) |(firewall|security|policy-options|system) \\{)",
                            "a configuration of Junos",
                            LIST),
                    new Kind(
                            "\"SecurityGroupRules\"",
                            "rules of AWS without their groups",
                            "print them by: aws ec2 describe-security-groups > groups.json"),
                    new Kind(
                            "(?m)^ *resource +\"\\w+\" +\"\\w+\" *\\{",
                            "a configuration of Terraform",
                            "print what it makes by: terraform show -json > state.json"),
                    new Kind(
                            "(?m)^apiVersion: ",
                            "a Kubernetes manifest that holds no policy which Sluice reads",
                            LIST));

    private ForeignRules() {}

    /** The message about a text of another kind, without its name; null: the kind is unknown. */
    static @Nullable String describe(String begin) {
        for (Kind kind : KINDS) {
            if (kind.sign.matcher(begin).find()) {
                return "looks like %s; %s".formatted(kind.name, kind.remedy);
            }
        }
        return null;
    }
}
