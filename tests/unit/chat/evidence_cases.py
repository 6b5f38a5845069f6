# ruff: noqa: E501 — a sentence is one line here
"""Labelled sentences for the evidence check, written by hand for this project.

Each group has its sources (heading, text) and sentences an answer could hold: (kind, supported, sentence).
Groups are whole in one split, so no source of the held-out half was seen while the check was tuned.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    split: str
    language: str
    sources: tuple[tuple[str, str], ...]
    kind: str
    supported: bool
    sentence: str


type Group = tuple[str, str, tuple[tuple[str, str], ...], tuple[tuple[str, bool, str], ...]]

GROUPS: tuple[Group, ...] = (
    (
        "dev",
        "zh",
        (
            (
                "网关 › 连接限制",
                "标准版最多支持 100 个并发连接，企业版最多支持 500 个并发连接。"
                "连接空闲超过 300 秒会被自动断开。超过上限的请求会返回错误码 ERR-4290。",
            ),
            ("网关 › 协议", "网关支持 HTTP、HTTPS 和 WebSocket 协议，不支持 FTP 和 SMTP 协议。"),
        ),
        (
            ("paraphrase", True, "标准版的并发连接上限是 100 个。[1]"),
            ("wrong-number", False, "标准版最多支持 200 个并发连接。[1]"),
            ("swapped", False, "标准版最多支持 500 个并发连接。[1]"),
            ("paraphrase", True, "如果连接空闲时间超过 300 秒，系统会自动断开它。[1]"),
            ("negation", False, "网关支持 FTP 和 SMTP 协议。[2]"),
            ("verbatim", True, "网关支持 HTTP、HTTPS 和 WebSocket 协议，不支持 FTP 和 SMTP 协议。[2]"),
            ("addition", False, "企业版还提供 7×24 小时的专属技术支持。[1]"),
            ("wrong-code", False, "超过上限时会返回错误码 ERR-5001。[1]"),
            ("summary", True, "网关支持 WebSocket 协议，标准版最多 100 个并发连接。[1][2]"),
            ("small-talk", True, "希望以上内容对您有帮助！"),
        ),
    ),
    (
        "dev",
        "zh",
        (
            (
                "员工手册 › 年假",
                "入职满一年的员工每年享有 5 天年假，满十年的享有 10 天。年假须提前三个工作日申请，"
                "由部门经理审批。未休完的年假可以结转到次年第一季度，逾期作废。",
            ),
            ("员工手册 › 病假", "病假需提供二级以上医院的诊断证明，病假期间发放基本工资的 80%。"),
        ),
        (
            ("paraphrase", True, "工作满一年后，员工每年可以休 5 天年假。[1]"),
            ("swapped", False, "入职满十年的员工每年享有 5 天年假。[1]"),
            ("paraphrase", True, "申请年假要提前三个工作日，并由部门经理批准。[1]"),
            ("wrong-role", False, "年假申请由总经理审批。[1]"),
            ("negation", False, "未休完的年假不可以结转到次年。[1]"),
            ("numeral", True, "年假需要提前 3 个工作日申请。[1]"),
            ("wrong-number", False, "病假期间发放基本工资的 60%。[2]"),
            ("addition", False, "员工还可以申请最长半年的无薪长假。"),
            ("paraphrase", True, "请病假要有二级以上医院开具的诊断证明。[2]"),
            ("meta", True, "以下是关于年假和病假的规定："),
        ),
    ),
    (
        "dev",
        "zh",
        (
            (
                "部署指南 › 故障排查",
                "当 Pod 处于 CrashLoopBackOff 状态时，先用 kubectl logs --previous 查看上一次容器的日志。"
                "常见原因是内存不足：把 limits.memory 提高到 2Gi 即可。镜像拉取失败时状态为 ImagePullBackOff，"
                "需要检查 imagePullSecrets 是否配置。",
            ),
        ),
        (
            (
                "paraphrase",
                True,
                "遇到 CrashLoopBackOff，应先用 kubectl logs --previous 查看之前容器的日志。[1]",
            ),
            ("swapped", False, "状态为 ImagePullBackOff 时，把 limits.memory 提高到 2Gi 即可。[1]"),
            ("wrong-number", False, "把 limits.memory 提高到 4Gi 可以解决内存不足。[1]"),
            ("paraphrase", True, "镜像拉取失败通常要检查 imagePullSecrets 的配置。[1]"),
            ("addition", False, "也可以通过重启 kubelet 服务来恢复节点。[1]"),
            ("wrong-code", False, "状态为 OOMKilled 时需要检查 imagePullSecrets。[1]"),
            ("paraphrase", True, "CrashLoopBackOff 的常见原因是内存不足。[1]"),
        ),
    ),
    (
        "dev",
        "zh",
        (
            (
                "公司简介",
                "远山科技成立于 2012 年，总部位于杭州，创始人为陈立。2019 年公司在深圳设立研发中心，"
                "现有员工 1,350 人，其中研发人员占 62%。",
            ),
        ),
        (
            ("paraphrase", True, "远山科技的总部设在杭州，于 2012 年成立。[1]"),
            ("swapped", False, "远山科技的总部位于深圳。[1]"),
            ("wrong-name", False, "远山科技的创始人是王强。[1]"),
            ("number-form", True, "公司目前有 1350 名员工。[1]"),
            ("wrong-number", False, "研发人员占全部员工的 26%。[1]"),
            ("swapped", False, "公司于 2019 年成立。[1]"),
            ("addition", False, "公司计划明年在上海证券交易所上市。"),
            ("paraphrase", True, "2019 年，公司在深圳建立了研发中心。[1]"),
        ),
    ),
    (
        "dev",
        "en",
        (
            (
                "Router manual › LEDs",
                "A solid green light means the router is online. A blinking amber light means it is updating "
                "its firmware; do not unplug it during the update. A red light means there is no internet "
                "connection.",
            ),
            (
                "Router manual › Reset",
                "To reset the router to factory settings, hold the reset button for 10 seconds. The default "
                "password is printed on the label underneath the device.",
            ),
        ),
        (
            ("paraphrase", True, "When the router is online, its light is solid green. [1]"),
            ("swapped", False, "A blinking amber light means there is no internet connection. [1]"),
            ("negation", False, "You can safely unplug the router while it is updating its firmware. [1]"),
            (
                "paraphrase",
                True,
                "Hold the reset button for ten seconds to restore the factory settings. [2]",
            ),
            ("wrong-number", False, "Hold the reset button for 30 seconds to reset the router. [2]"),
            ("addition", False, "The router can also be reset from the mobile app under Advanced. [2]"),
            ("paraphrase", True, "You can find the default password on the label under the device. [2]"),
            ("small-talk", True, "Let me know if you have any other questions!"),
            (
                "summary",
                True,
                "A red light means no internet connection; to reset the router, hold the reset button for 10 seconds. [1][2]",
            ),
        ),
    ),
    (
        "dev",
        "en",
        (
            (
                "Refund policy",
                "Items may be returned within 30 days of delivery. Refunds are issued to the original payment "
                "method within 5 business days after we receive the item. Gift cards are not refundable. "
                "Shipping costs are refunded only if the item was defective.",
            ),
        ),
        (
            ("paraphrase", True, "You can return an item up to 30 days after it was delivered. [1]"),
            ("negation", False, "Gift cards are refundable. [1]"),
            ("wrong-number", False, "Refunds take up to 14 business days. [1]"),
            ("swapped", False, "Items may be returned within 5 days of delivery. [1]"),
            ("addition", False, "Premium members get free return shipping on every order. [1]"),
            ("paraphrase", True, "Refunds go back to the original payment method. [1]"),
            ("paraphrase", True, "Gift cards cannot be refunded. [1]"),
            ("negation", False, "Shipping costs are refunded even if the item was not defective. [1]"),
        ),
    ),
    (
        "dev",
        "en",
        (
            (
                "Release notes › 4.2",
                "Version 4.2.0 adds dark mode and removes support for Windows 7. The minimum supported version "
                "is now Windows 10. Export to PDF was fixed for documents longer than 200 pages (issue #8812).",
            ),
        ),
        (
            ("paraphrase", True, "Dark mode was added in version 4.2.0. [1]"),
            ("wrong-code", False, "Dark mode was added in version 4.3.0. [1]"),
            ("swapped", False, "Version 4.2.0 removes support for Windows 10. [1]"),
            ("paraphrase", True, "PDF export now works for documents of more than 200 pages. [1]"),
            ("wrong-code", False, "The export problem was tracked as issue #8821. [1]"),
            ("addition", False, "The release also improves battery life on laptops. [1]"),
            ("paraphrase", True, "Windows 10 is the oldest version that is still supported. [1]"),
        ),
    ),
    (
        "held-out",
        "zh",
        (
            (
                "存储产品 › 规格",
                "S200 型号配备 8 块硬盘，最大容量 64 TB，支持 RAID 5 和 RAID 6。S400 型号配备 16 块硬盘，"
                "最大容量 192 TB，支持双控制器。两种型号均不支持热插拔电源。",
            ),
            ("存储产品 › 保修", "整机保修三年，硬盘保修五年。自行拆机将导致保修失效。"),
        ),
        (
            ("paraphrase", True, "S200 的最大容量为 64 TB，装有 8 块硬盘。[1]"),
            ("swapped", False, "S200 的最大容量为 192 TB。[1]"),
            ("paraphrase", True, "S400 支持双控制器，有 16 块硬盘。[1]"),
            ("negation", False, "两种型号都支持热插拔电源。[1]"),
            ("numeral", True, "硬盘的保修期是 5 年，整机是 3 年。[2]"),
            ("swapped", False, "整机保修五年。[2]"),
            ("addition", False, "S400 还支持通过手机应用远程管理。[1]"),
            ("paraphrase", True, "自己拆开机器会使保修失效。[2]"),
            ("wrong-number", False, "S400 型号配备 24 块硬盘。[1]"),
            ("small-talk", True, "您好，很高兴为您解答。"),
        ),
    ),
    (
        "held-out",
        "zh",
        (
            (
                "差旅制度 › 报销",
                "出差人员应在返回后 15 个工作日内提交报销单。一线城市住宿标准为每晚 600 元，其他城市为每晚 400 元。"
                "高铁二等座可全额报销，一等座须经副总裁批准。招待费不得与差旅费合并报销。",
            ),
        ),
        (
            ("paraphrase", True, "出差回来后要在 15 个工作日之内提交报销单。[1]"),
            ("wrong-number", False, "报销单应在返回后 30 个工作日内提交。[1]"),
            ("swapped", False, "其他城市的住宿标准为每晚 600 元。[1]"),
            ("paraphrase", True, "一线城市的住宿标准是每晚 600 元。[1]"),
            ("wrong-role", False, "乘坐高铁一等座须经财务总监批准。[1]"),
            ("negation", False, "招待费可以与差旅费合并报销。[1]"),
            ("paraphrase", True, "高铁二等座的费用能够全额报销。[1]"),
            ("addition", False, "国际航班可以选择商务舱。[1]"),
            ("meta", True, "根据资料，相关规定如下："),
        ),
    ),
    (
        "held-out",
        "zh",
        (
            (
                "药品说明 › 用法用量",
                "成人每次 2 片，每日三次，饭后服用。12 岁以下儿童禁用。服药期间不得饮酒。"
                "如出现皮疹应立即停药并就医。储存温度不超过 25 ℃。",
            ),
        ),
        (
            ("paraphrase", True, "成人每天服三次，每次 2 片，在饭后吃。[1]"),
            ("wrong-number", False, "成人每次服用 3 片。[1]"),
            ("negation", False, "12 岁以下儿童可以使用。[1]"),
            ("paraphrase", True, "吃药期间不能喝酒。[1]"),
            ("contradiction", False, "本药应在饭前服用。[1]"),
            ("paraphrase", True, "出现皮疹时要马上停药并去看医生。[1]"),
            ("addition", False, "孕妇应在医生指导下服用。[1]"),
            ("wrong-number", False, "储存温度不应超过 30 ℃。[1]"),
        ),
    ),
    (
        "held-out",
        "zh",
        (
            (
                "接口文档 › 鉴权",
                "调用接口须在请求头携带 X-Api-Token，令牌有效期为 24 小时。令牌过期后返回状态码 401，"
                "错误码为 AUTH_EXPIRED。频率限制为每分钟 60 次，超出后返回 429。",
            ),
        ),
        (
            ("paraphrase", True, "请求头里必须带上 X-Api-Token。[1]"),
            ("wrong-code", False, "请求头里必须带上 X-Auth-Key。[1]"),
            ("paraphrase", True, "令牌在 24 小时后失效，此时返回 401。[1]"),
            ("swapped", False, "令牌过期后返回状态码 429。[1]"),
            ("wrong-number", False, "频率限制为每分钟 100 次。[1]"),
            ("paraphrase", True, "每分钟最多调用 60 次，超过会返回 429。[1]"),
            ("addition", False, "令牌可以通过刷新接口自动续期。[1]"),
        ),
    ),
    (
        "held-out",
        "en",
        (
            (
                "Library rules",
                "Undergraduate students may borrow up to 10 books for 21 days. Graduate students may borrow up "
                "to 25 books for 60 days. Reference books cannot be taken out of the building. A fine of $0.50 "
                "per day applies to overdue books.",
            ),
        ),
        (
            ("paraphrase", True, "Undergraduates can borrow as many as 10 books for 21 days. [1]"),
            ("swapped", False, "Undergraduate students may borrow up to 25 books. [1]"),
            ("wrong-number", False, "Graduate students may keep books for 90 days. [1]"),
            ("negation", False, "Reference books can be taken out of the building. [1]"),
            ("paraphrase", True, "Overdue books cost a fine of $0.50 a day. [1]"),
            ("addition", False, "Books can be renewed online twice. [1]"),
            ("paraphrase", True, "You may not take reference books out of the building. [1]"),
            ("small-talk", True, "I hope this helps."),
        ),
    ),
    (
        "held-out",
        "en",
        (
            (
                "Backup service › Schedule",
                "Full backups run every Sunday at 02:00 UTC and are kept for 90 days. Incremental backups run "
                "every night and are kept for 14 days. Backups are encrypted with AES-256. Restoring a backup "
                "requires the role backup-admin.",
            ),
            (
                "Backup service › Limits",
                "Databases larger than 5 TB are not supported by the backup service.",
            ),
        ),
        (
            ("paraphrase", True, "Full backups take place on Sundays at 02:00 UTC. [1]"),
            ("swapped", False, "Incremental backups are kept for 90 days. [1]"),
            ("wrong-code", False, "Backups are encrypted with AES-128. [1]"),
            ("paraphrase", True, "To restore a backup you need the backup-admin role. [1]"),
            ("negation", False, "Databases larger than 5 TB are supported by the backup service. [2]"),
            ("addition", False, "A copy of every backup is stored in a second region. [1]"),
            (
                "summary",
                True,
                "Backups are encrypted with AES-256, and databases above 5 TB are not supported. [1][2]",
            ),
            ("wrong-name", False, "Full backups run every Friday at 02:00 UTC. [1]"),
            ("paraphrase", True, "Incremental backups run nightly and are kept for 14 days. [1]"),
        ),
    ),
    (
        "held-out",
        "en",
        (
            (
                "Company › History",
                "Northwind Labs was founded in 2008 by Maria Keller in Oslo. It acquired Bluefin Systems in 2016 "
                "for 40 million euros. Its chief executive since 2020 is Tom Alvarez.",
            ),
        ),
        (
            ("paraphrase", True, "Maria Keller founded Northwind Labs in Oslo in 2008. [1]"),
            ("wrong-name", False, "Northwind Labs was founded in Stockholm. [1]"),
            ("swapped", False, "Tom Alvarez founded Northwind Labs. [1]"),
            ("wrong-number", False, "It paid 60 million euros for Bluefin Systems. [1]"),
            ("paraphrase", True, "Bluefin Systems was bought in 2016 for 40 million euros. [1]"),
            ("addition", False, "The company employs about two thousand people worldwide. [1]"),
            ("paraphrase", True, "Tom Alvarez has been chief executive since 2020. [1]"),
            ("meta", True, "Here is what the sources say:"),
        ),
    ),
    (
        "dev",
        "zh",
        (("套餐说明", "标准版包含备份功能，最多支持 100 个连接。购买后七天内可以申请退款，保修期为两年。"),),
        (
            ("talk-and-claim", False, "资料未提及价格，但最多支持 5000 个连接。[1]"),
            ("negation", False, "标准版没有包含备份功能。[1]"),
            ("talk-and-claim", False, "总之，用户可以随时退款并获得双倍赔偿。[1]"),
            ("talk-and-claim", False, "当然，标准版还附赠一台打印机。[1]"),
            ("talk-and-claim", False, "文档没有说明价格，不过保修期为五年。[1]"),
            ("not-there", True, "资料未提及标准版的价格。"),
            ("talk-and-claim", True, "资料未提及价格，但标准版包含备份功能。[1]"),
            ("talk-and-claim", True, "综上，保修期是两年。[1]"),
            ("small-talk", True, "如果您还有其他问题，欢迎随时提问。"),
        ),
    ),
    (
        "dev",
        "en",
        (("Pump", "The pump delivers 40 litres per minute at 3 bar. The warranty includes water damage."),),
        (
            (
                "talk-and-claim",
                False,
                "The documents do not mention it, but the maximum is 5000 litres at 99 bar. [1]",
            ),
            ("negation", False, "The warranty does not include water damage. [1]"),
            ("talk-and-claim", False, "Of course the pump is waterproof down to the sea floor. [1]"),
            ("talk-and-claim", False, "In short, the pump was certified by an independent laboratory. [1]"),
            ("talk-and-claim", False, "Sure, the pump delivers 60 litres per minute. [1]"),
            ("not-there", True, "The documents do not mention the price of the pump."),
            (
                "talk-and-claim",
                True,
                "The sources do not mention a price, but the warranty includes water damage. [1]",
            ),
            ("talk-and-claim", True, "In summary, the pump delivers 40 litres per minute at 3 bar. [1]"),
            ("small-talk", True, "Feel free to ask if anything else is unclear."),
        ),
    ),
    (
        "held-out",
        "zh",
        (
            (
                "会员制度",
                "金卡会员每年可免费住宿 3 晚，享受延迟退房。积分自获得之日起 24 个月内有效，积分可以转让给家人。",
            ),
        ),
        (
            ("talk-and-claim", False, "资料没有提到早餐，但金卡会员每年可免费住宿 12 晚。[1]"),
            ("negation", False, "积分不可以转让给家人。[1]"),
            ("talk-and-claim", False, "综上所述，金卡会员可以免费使用机场贵宾厅。[1]"),
            ("talk-and-claim", False, "好的，金卡会员还能获赠生日蛋糕。[1]"),
            ("talk-and-claim", False, "知识库未说明费用，不过积分永久有效且能兑换现金。[1]"),
            ("not-there", True, "文档中没有说明早餐是否免费。"),
            ("talk-and-claim", True, "资料没有提到早餐，但金卡会员享受延迟退房。[1]"),
            ("talk-and-claim", True, "总之，积分在 24 个月内有效。[1]"),
            ("small-talk", True, "希望这些信息对您有帮助。"),
        ),
    ),
    (
        "held-out",
        "en",
        (
            (
                "Library card",
                "Members may borrow 12 books for 21 days. Reservations are free. Lost books must be paid for.",
            ),
        ),
        (
            ("talk-and-claim", False, "The sources do not say so, but members may borrow 40 books. [1]"),
            ("negation", False, "Reservations are not free. [1]"),
            ("talk-and-claim", False, "Certainly, members get a discount at the museum café. [1]"),
            ("talk-and-claim", False, "To summarize, guests can watch films in the evening hall. [1]"),
            (
                "talk-and-claim",
                False,
                "The documents do not mention fines, however lost books are replaced by the city council. [1]",
            ),
            ("not-there", True, "The provided documents do not specify the opening hours."),
            (
                "talk-and-claim",
                True,
                "The documents do not mention fines, but lost books must be paid for. [1]",
            ),
            ("talk-and-claim", True, "In summary, members may borrow 12 books for 21 days. [1]"),
            ("small-talk", True, "Thank you for your question!"),
        ),
    ),
)

CASES = tuple(
    Case(split, language, sources, kind, supported, sentence)
    for split, language, sources, sentences in GROUPS
    for kind, supported, sentence in sentences
)
