package dev.sluice.operators.classify;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.operators.rules.serving.VersionService;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.api.common.externalresource.ExternalResourceInfo;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/** Place of a task among others: the attempt that it is of, and its devices. */
final class TaskPlace {
    private static final String EXTERNAL_RESOURCE = "gpu";
    private static final String EXTERNAL_INDEX = "index";

    private TaskPlace() {}

    /**
     * The same for all subtasks of one attempt to run an operator that use the same device, and
     * another for every other attempt: what they are told apart by, the id of an execution names,
     * beside the subtask.
     */
    static VersionService.Key streamKey(Environment of, String operator, EngineOptions engine) {
        ExecutionAttemptID execution = of.getExecutionId();
        String whole = execution.toString();
        String subtask = "_" + execution.getSubtaskIndex() + "_" + execution.getAttemptNumber();
        String attempt =
                whole.endsWith(subtask)
                        ? whole.substring(0, whole.length() - subtask.length())
                                + "_"
                                + execution.getAttemptNumber()
                        : whole;
        return new VersionService.Key(
                of.getJobID().toString(),
                operator,
                attempt,
                GpuPool.shared().place(engine.gpu(), execution.getSubtaskIndex()));
    }

    /**
     * Numbers of the devices that Flink's external resource gave the task; none where the options
     * decide, whatever the resource is then.
     */
    static List<Integer> devicesGiven(EngineOptions engine, RuntimeContext task) {
        if (engine.decidesDevices()) {
            return List.of();
        }
        List<Integer> given = new ArrayList<>();
        for (ExternalResourceInfo info : task.getExternalResourceInfos(EXTERNAL_RESOURCE)) {
            info.getProperty(EXTERNAL_INDEX).map(Integer::valueOf).ifPresent(given::add);
        }
        Collections.sort(given);
        return given;
    }
}
