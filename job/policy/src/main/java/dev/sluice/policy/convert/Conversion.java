package dev.sluice.policy.convert;

import dev.sluice.engine.rules.Rule;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.SwitchPorts;
import dev.sluice.policy.flatten.FirstMatchList;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.json.PolicyJsonWriter;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.Stage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Rules in another format.
 *
 * @param lines the text
 * @param warnings what the reader should know
 */
public record Conversion(List<String> lines, List<String> warnings) {
    private static final int HIGHEST_PRIORITY = 65_535;

    /** Formats to convert to. */
    public enum Target {
        CLASSBENCH,
        OPENFLOW,
        IPTABLES,
        IP6TABLES,
        NFT,
        JSON
    }

    /**
     * Converts rules.
     *
     * @param ports names of switch ports that rules may use
     * @param wholePackets whether the text need not say the outcome of later fragments
     * @param permitsOthers whether packets that no rule matches pass, where rules stand for
     *     themselves
     * @throws SluiceException naming the rule that the format cannot say, and why
     */
    public static Conversion of(
            OpenRules text,
            SwitchPorts ports,
            PolicyOptions options,
            Target target,
            boolean wholePackets,
            boolean permitsOthers) {
        if (options.translates()) {
            throw new SluiceException("--nat: the table nat is not converted; leave --nat out");
        }
        boolean chains = target == Target.IPTABLES || target == Target.IP6TABLES;
        boolean v6 = target == Target.IP6TABLES;
        List<String> warnings;
        List<ConvertedRule> rules = new ArrayList<>();
        if (text.isPolicy()) {
            PolicyFile file = PolicyFile.read(text, options);
            warnings = file.warnings();
            if (target == Target.JSON) {
                return new Conversion(PolicyJsonWriter.lines(file.policies()), warnings);
            }
            Policy policy = single(file);
            if (target == Target.NFT) {
                return new Conversion(NftText.of(policy, wholePackets), warnings);
            }
            requireSayable(file, policy);
            if (chains) {
                return new Conversion(IptablesText.of(policy, v6, wholePackets), warnings);
            }
            FirstMatchList.of(policy, options.assumed(), wholePackets)
                    .forEach(box -> rules.add(converted(box)));
        } else {
            RuleFile list = RuleFile.read(text, ports, options);
            warnings = list.warnings();
            list.rules().stream()
                    .sorted(Comparator.comparingInt(Rule::priority).reversed())
                    .forEach(rule -> rules.add(converted(text, rule)));
        }
        String file = text.file().toString();
        if (target == Target.JSON) {
            Policy policy = ListPolicy.of(rules, file, "JSON", permitsOthers);
            return new Conversion(PolicyJsonWriter.lines(List.of(policy)), warnings);
        }
        if (target == Target.NFT) {
            Policy policy = ListPolicy.of(rules, file, "nft", permitsOthers);
            return new Conversion(NftText.of(policy, wholePackets), warnings);
        }
        if (chains) {
            Policy policy = IptablesText.policy(rules, file, v6, permitsOthers);
            return new Conversion(IptablesText.of(policy, v6, wholePackets), warnings);
        }
        List<String> lines = new ArrayList<>();
        for (ConvertedRule rule : rules) {
            if (target == Target.CLASSBENCH) {
                lines.addAll(ClassBenchText.lines(rule, wholePackets));
                continue;
            }
            String action = rule.permits("OpenFlow") ? "NORMAL" : "drop";
            for (String match : FlowText.matches(rule, wholePackets)) {
                int priority = HIGHEST_PRIORITY - lines.size();
                if (priority < 0) {
                    throw rule.refused("OpenFlow", "the flows before it take all priorities");
                }
                lines.add("priority=%d%s actions=%s".formatted(priority, match, action));
            }
        }
        return new Conversion(lines, warnings);
    }

    /** The one policy of a file. */
    private static Policy single(PolicyFile file) {
        if (file.policies().size() > 1) {
            throw new SluiceException(
                    "%s: holds the policies of %s; name one by --hook"
                            .formatted(
                                    file.file(),
                                    file.policies().stream()
                                            .map(Policy::name)
                                            .collect(Collectors.joining(", "))));
        }
        return file.policies().get(0);
    }

    /** Requires that lists and dumps can say what the stages of a policy judge. */
    private static void requireSayable(PolicyFile file, Policy policy) {
        for (Stage stage : policy.stages()) {
            Condition reassembled = stage.vantage().reassembled();
            boolean plain =
                    reassembled.equals(Condition.ALWAYS) || reassembled.equals(Condition.NEVER);
            if (!plain || !stage.judges().equals(Condition.ALWAYS)) {
                throw new SluiceException(
                        "%s: its stage %s treats IP versions differently, which no target can say; convert a policy of one version"
                                .formatted(file.file(), stage.name()));
            }
        }
    }

    private static ConvertedRule converted(FirstMatchList.Box box) {
        Origin origin = box.rule().origin();
        boolean permits = ((Effect.Decide) box.rule().effect()).outcome() == Outcome.PERMIT;
        return new ConvertedRule(
                origin.file() + ":" + origin.line(),
                origin.text(),
                box.match(),
                permits ? "accept" : "drop");
    }

    private static ConvertedRule converted(OpenRules text, Rule rule) {
        return new ConvertedRule(
                text.file() + ":" + rule.line(), rule.text(), rule.match(), rule.action());
    }
}
