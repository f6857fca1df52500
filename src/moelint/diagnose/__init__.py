"""From a log to its cause: ``moelint diagnose``.

``stream`` reads logs of any size in blocks of whole lines, ``scan`` finds in them what ``knowledge`` knows (fragments
of the rules and of ``trainers/symptoms.yaml``), ``dump`` reads the config that a trainer printed, ``against`` holds it
against the config that was meant, ``run`` puts all of it together, ``show`` prints it.
"""
