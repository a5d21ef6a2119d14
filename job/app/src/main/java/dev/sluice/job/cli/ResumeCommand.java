package dev.sluice.job.cli;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sluice resume}: {@link RunCommand} from a savepoint. */
@Command(
        name = "resume",
        description = {
            "Starts a job that goes on from a savepoint or checkpoint, on the cluster of 'sluice cluster up'; "
                    + "beside that it is run. Nothing is read twice or left out.",
            "'sluice stop' prints it with the options that the job had. They may be changed, but the topics and "
                    + "--transactional-id-prefix: --parallelism rescales the job, another installation upgrades it.",
            ""
        })
final class ResumeCommand extends RunCommand {
    @Parameters(
            paramLabel = "SAVEPOINT",
            description = "Folder of the savepoint or checkpoint: the one that has a _metadata.")
    private Path savepoint = Path.of("");

    @Override
    public Integer call() throws Exception {
        submit.goOn(savepoint);
        return super.call();
    }
}
