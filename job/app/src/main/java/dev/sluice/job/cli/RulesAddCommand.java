package dev.sluice.job.cli;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.rules.Rule;
import dev.sluice.job.rules.RuleContent;
import dev.sluice.job.rules.RuleEdit;
import dev.sluice.job.rules.RuleEdit.Position;
import dev.sluice.job.rules.RuleEdit.Side;
import dev.sluice.job.rules.RuleListing;
import dev.sluice.policy.RuleText;
import dev.sluice.policy.io.SluiceException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice rules add}: one rule more. */
@Command(
        name = "add",
        description = {
            "Adds a rule to those of the rules topic, as the next version. Among rules of its priority it comes "
                    + "last, unless an option says where. A rule with the same match, priority and action as one in "
                    + "the topic is refused.",
            "Whether it can be served is only estimated; sluice rules publish compiles.",
            ""
        })
final class RulesAddCommand extends SluiceCommand implements PublishingCommand {
    @Parameters(paramLabel = "RULE", description = "The rule, as a line of a rule file.")
    private String rule = "";

    @ArgGroup private @Nullable Where where;

    @Option(names = "--force", description = "Publish also what is estimated not to be served.")
    private boolean force;

    @Mixin private PortOptions ports = new PortOptions();

    @Mixin private RulePublication publication = new RulePublication();

    @Mixin private EngineArguments engine = new EngineArguments();

    /** One of these at most. */
    static final class Where {
        @Option(
                names = "--before",
                paramLabel = "ID|LINE",
                description = "Right before the rule of this id or line, which has its priority.")
        private @Nullable String before;

        @Option(
                names = "--after",
                paramLabel = "ID|LINE",
                description = "Right behind the rule of this id or line, which has its priority.")
        private @Nullable String after;

        @Option(names = "--first", description = "Before all rules of its priority.")
        private boolean first;

        @Option(names = "--last", description = "Behind all rules of its priority (the default).")
        private boolean last;

        Position position() {
            if (before != null) {
                return new Position(Side.BEFORE, RuleEdit.Name.parse(before));
            }
            if (after != null) {
                return new Position(Side.AFTER, RuleEdit.Name.parse(after));
            }
            return first && !last ? new Position(Side.FIRST, null) : Position.LAST;
        }
    }

    @Override
    public Integer call() {
        Rule parsed = RuleText.parse(rule, ports.read());
        Position position = where == null ? Position.LAST : where.position();
        EngineOptions options = engine.toOptions();
        return publication.edit(
                force ? null : options,
                true,
                content -> {
                    requireNew(parsed, content);
                    return new RuleEdit.Add(parsed, position);
                });
    }

    /** Of two rules of one match, priority and action the second can never be hit. */
    private static void requireNew(Rule added, RuleContent content) {
        Rule there = content.like(added);
        if (there != null) {
            throw new SluiceException(
                    "rule %d%s is the same, '%s': one of the two could never be hit; nothing was added"
                            .formatted(
                                    there.id(),
                                    there.line() == 0 ? "" : " of line " + there.line(),
                                    RuleListing.text(there)));
        }
    }
}
